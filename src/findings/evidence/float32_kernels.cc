#include "findings/evidence/float32_kernels.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text/lower_case.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// What a kernel takes that only starts and ends: the shortest ones of PyTorch on an H100.
constexpr int64_t kStartNs = 1'000;
/// Tensors of 16-bit numbers have half of the bytes, and TF32 has half of the rate.
constexpr double kHalf = 0.5;
/// PyTorch's attention for float32 multiplies three times in TF32 (operator_calls.cc).
constexpr double kThreeTimesTf32 = kHalf / 3;

/// Peak rate of dense 16-bit products over that of float32 without tensor cores, of GPUs that the table of peaks lacks
/// (NVIDIA's architecture papers). Of consumer and professional GPUs it is the higher one.
double product_gain(int64_t major, int64_t minor) {
  if (major < 7) return 1;
  if (major == 7) return 8;
  if ((major == 8 && minor != 0) || major >= 12) return 4;
  return major >= 10 ? 32 : 16;
}

bool has_any(std::string_view name, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return name.contains(part); });
}

bool names_other_type(std::string_view small) {
  return has_any(small, {"half", "f16", "fp16", "f8", "fp8", "e4m3", "e5m2", "double", "int8", "i8"});
}

/// cuBLAS, cuDNN and CUTLASS name TF32, or the instruction (m16n8k8) and no type.
bool is_tf32(std::string_view small) {
  return small.contains("tf32") || (small.contains("s1688") && !names_other_type(small));
}

/// PyTorch's and cuDNN's templates name the type, or its size in copies. An optimizer keeps its state in float32 in
/// mixed precision, too.
bool works_on_floats(std::string_view small) {
  if (!has_any(small, {"at::native", "cudnn", "softmax"}) || small.contains("multi_tensor_apply")) return false;
  if (has_any(small, {"bfloat", "half", "double"})) return false;
  return has_any(small, {"<float", " float", ",float", "opaquetype<4"});
}

Float32Kind kind_by_name(std::string_view name, KernelClass kernel) {
  const std::string small = lower_case(name);
  switch (kernel) {
    case KernelClass::matrix_float32: return Float32Kind::product;
    case KernelClass::matrix_tensor: return is_tf32(small) ? Float32Kind::tf32_product : Float32Kind::none;
    case KernelClass::attention: return small.contains("_f32_") ? Float32Kind::attention : Float32Kind::none;
    case KernelClass::matrix:
    case KernelClass::matrix_vector: return Float32Kind::none;
    case KernelClass::softmax:
    case KernelClass::elementwise:
    case KernelClass::other: break;
  }
  return works_on_floats(small) ? Float32Kind::other : Float32Kind::none;
}

bool is_half(NumberFormat format) {
  return format == NumberFormat::fp16 || format == NumberFormat::bf16 || format == NumberFormat::fp8;
}

/// Of the tensors that decide it, else `other` where a tensor of another float type is among all of them.
NumberFormat format_of_call(const OperatorWork& work, const OperatorInputs& inputs) {
  if (work.format != NumberFormat::unknown) return work.format;
  bool floats = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (is_half(inputs.format(i)) || inputs.format(i) == NumberFormat::fp64) return NumberFormat::other;
    const TensorShape* shape = inputs.shape(i);
    floats |= inputs.format(i) == NumberFormat::fp32 && shape != nullptr && !shape->empty();
  }
  return floats ? NumberFormat::fp32 : NumberFormat::unknown;
}

Float32Kind kind_of_operator(const OperatorShape& shape, KernelClass kernel) {
  if (shape.work.kind == OperatorKind::attention) return Float32Kind::attention;
  if (!counts_flop(shape.work.kind)) return Float32Kind::other;
  const bool tf32 = shape.precision == MathPrecision::tf32 || kernel == KernelClass::matrix_tensor;
  return tf32 ? Float32Kind::tf32_product : Float32Kind::product;
}

}  // namespace

std::string_view kind_name(Float32Kind kind) {
  switch (kind) {
    case Float32Kind::product: return "products in float32";
    case Float32Kind::tf32_product: return "products in TF32";
    case Float32Kind::attention: return "attention";
    case Float32Kind::other: return "other kernels";
    case Float32Kind::none: break;
  }
  return {};
}

Float32Kernels::Float32Kernels(const Facts& facts)
    : facts_(facts), operators_(facts.operators()), formats_(operators_.shapes.size()) {
  for (const Device& device : facts.trace.devices) gpus_.push_back(gpu_of(device));
}

Float32Kernels::Gpu Float32Kernels::gpu_of(const Device& device) {
  Gpu gpu{.peaks = gpu_peaks(device)};
  if (gpu.peaks != nullptr) {
    const auto products = gpu.peaks->flop_per_second(MathPrecision::fp32);
    const auto tensor_cores = gpu.peaks->flop_per_second(MathPrecision::fp16);
    if (products && tensor_cores) gpu.product_gain = *tensor_cores / *products;
  } else if (device.compute_major) {
    gpu.product_gain = product_gain(*device.compute_major, device.compute_minor.value_or(0));
  }
  return gpu;
}

Float32Kernels::Gpu Float32Kernels::gpu(Row kernel) const {
  const DeviceId device = facts_.trace.streams[facts_.trace.kernels.stream[kernel]].device;
  return device == kNone ? Gpu() : gpus_[device];
}

Float32Kind Float32Kernels::kind_of_name(NameId name, KernelClass kernel) {
  const auto [known, fresh] = by_name_.try_emplace(name, Float32Kind::none);
  if (fresh) known->second = kind_by_name(facts_.trace.name(name), kernel);
  return known->second;
}

Float32Kind Float32Kernels::kind_of_shape(Row kernel, uint32_t shape) {
  const OperatorShape& of = operators_.shapes[shape];
  if (!formats_[shape]) formats_[shape] = format_of_call(of.work, OperatorInputs(facts_.trace.name(of.inputs)));
  const KernelClass name = facts_.kernel_classes[kernel];
  switch (*formats_[shape]) {
    case NumberFormat::fp32: return kind_of_operator(of, name);
    case NumberFormat::unknown: return kind_of_name(facts_.trace.kernels.name[kernel], name);
    default: return Float32Kind::none;
  }
}

Float32Kind Float32Kernels::kind(Row kernel) {
  const uint32_t call = operators_.of_kernel[kernel];
  if (call != kNone) return kind_of_shape(kernel, operators_.calls[call].shape);
  return kind_of_name(facts_.trace.kernels.name[kernel], facts_.kernel_classes[kernel]);
}

MaybeAmount Float32Kernels::part_by_work(Row kernel) const {
  const uint32_t call = operators_.of_kernel[kernel];
  if (call == kNone || operators_.calls[call].kernel_ns <= 0) return std::nullopt;
  const OperatorShape& shape = operators_.shapes[operators_.calls[call].shape];
  const CallWork& work = shape.work.work;
  if (shape.peaks == nullptr || !work.bytes) return std::nullopt;
  double least_ns = kHalf * *work.bytes / shape.peaks->bytes_per_second() * 1e9;
  if (counts_flop(shape.work.kind)) {
    const auto peak = shape.peaks->flop_per_second(MathPrecision::fp16);
    if (!work.flop || !peak) return std::nullopt;
    least_ns = std::max(least_ns, *work.flop / *peak * 1e9);
  }
  return std::min(kHalf, least_ns / static_cast<double>(operators_.calls[call].kernel_ns));
}

MaybeAmount Float32Kernels::part_by_ratio(Row kernel) {
  const Float32Kind of_kernel = kind(kernel);
  const bool three_times = facts_.trace.name(facts_.trace.kernels.name[kernel]).contains("sm80");
  if (of_kernel == Float32Kind::attention && three_times) return kThreeTimesTf32;
  if (of_kernel != Float32Kind::product && of_kernel != Float32Kind::attention) return kHalf;
  const double gain = gpu(kernel).product_gain;
  return gain > 0 ? 1 / gain : MaybeAmount();
}

std::optional<int64_t> Float32Kernels::least_ns(Row kernel) {
  const Kernels& k = facts_.trace.kernels;
  const int64_t now_ns = k.end[kernel] - k.start[kernel];
  // Without tensor cores 16-bit numbers are not taken for faster ones.
  if (gpu(kernel).product_gain == 1) return now_ns;
  MaybeAmount part = part_by_work(kernel);
  if (!part) part = part_by_ratio(kernel);
  if (!part) return std::nullopt;
  return std::max(std::min(now_ns, kStartNs), static_cast<int64_t>(*part * static_cast<double>(now_ns)));
}

}  // namespace sonde
