#include "analyses/operators/operator_calls.h"

#include <algorithm>
#include <tuple>

#include <boost/unordered/unordered_flat_map.hpp>

#include "analyses/kernels/kernel_class.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// For each API call the innermost operator around it with recorded shapes.
Ids shaped_operators_of_calls(const Trace& trace) {
  const Ranges& r = trace.ranges;
  Ids found(row_count(trace.api), kNone);
  for (const DomainLinks& links : trace.range_links) {
    if (trace.domains[links.domain].kind != DomainKind::op) continue;
    for (Row call = 0; call < links.of_api.size(); ++call) {
      Row range = links.of_api[call];
      while (range != kNone && r.shapes[range] == kNone) range = r.parent[range];
      if (range != kNone) found[call] = range;
    }
  }
  return found;
}

/// What decides how a call multiplies: the longest of its kernels whose name tells.
struct MathKernel {
  int64_t duration_ns = -1;
  KernelClass kind = KernelClass::other;
  NameId name = kNone;
};

bool tells_math(KernelClass kind) {
  return kind == KernelClass::matrix_tensor || kind == KernelClass::matrix_float32 || kind == KernelClass::attention;
}

/// PyTorch's attention for float32 on compute capability 8.0 and later multiplies with OpMultiplyAddFastF32
/// (aten/src/ATen/native/transformers/cuda/mem_eff_attention/gemm_kernel_utils.h).
bool multiplies_three_times(std::string_view kernel) { return kernel.contains("_f32_") && kernel.contains("sm80"); }

MathPrecision float32_precision(const Trace& trace, const MathKernel& math, const GpuPeaks* peaks) {
  const bool has_tf32 = peaks == nullptr || peaks->tf32_tflops > 0;
  if (math.kind == KernelClass::matrix_float32) return MathPrecision::fp32;
  if (math.kind == KernelClass::matrix_tensor) return has_tf32 ? MathPrecision::tf32 : MathPrecision::unknown;
  if (math.kind == KernelClass::attention && multiplies_three_times(trace.name(math.name)))
    return MathPrecision::tf32_three;
  return has_tf32 ? MathPrecision::unknown : MathPrecision::fp32;
}

MathPrecision precision_of(const Trace& trace, NumberFormat format, const MathKernel& math, const GpuPeaks* peaks) {
  switch (format) {
    case NumberFormat::fp64: return MathPrecision::fp64;
    case NumberFormat::fp32: return float32_precision(trace, math, peaks);
    case NumberFormat::fp16: return MathPrecision::fp16;
    case NumberFormat::bf16: return MathPrecision::bf16;
    case NumberFormat::fp8: return MathPrecision::fp8;
    case NumberFormat::int8: return MathPrecision::int8;
    case NumberFormat::unknown:
    case NumberFormat::other: break;
  }
  return MathPrecision::unknown;
}

void set_roofline(OperatorShape& shape) {
  const CallWork& work = shape.work.work;
  if (shape.peaks == nullptr || !work.bytes) return;
  const double memory_ns = *work.bytes / shape.peaks->bytes_per_second() * 1e9;
  double compute_ns = 0;
  if (counts_flop(shape.work.kind)) {
    const auto peak = shape.peaks->flop_per_second(shape.precision);
    if (!work.flop || !peak) return;
    compute_ns = *work.flop / *peak * 1e9;
  }
  shape.memory_bound = memory_ns >= compute_ns;
  shape.roofline_ns = std::max(memory_ns, compute_ns);
}

/// A device that the file does not describe is like those that it does, if these are all of one name: AMD's runtime
/// numbers the visible devices from 0 and the events by the host's numbers.
const Device* like_described(const Device& device, const Trace& trace) {
  const Device* like = &device;
  for (const Device& other : trace.devices) {
    if (!device.name.empty() || other.name.empty() || other.rank != device.rank) continue;
    if (like != &device && like->name != other.name) return &device;
    like = &other;
  }
  return like;
}

class OperatorCollector {
 public:
  explicit OperatorCollector(const Trace& trace) : trace_(trace) {
    for (const Device& device : trace.devices) peaks_.push_back(gpu_peaks(*like_described(device, trace)));
  }

  OperatorCalls collect() {
    gather_kernels();
    find_work_inside();
    find_backward_convolutions();
    for (uint32_t call = 0; call < found_.calls.size(); ++call) give_shape(call);
    return std::move(found_);
  }

 private:
  using Inputs = std::tuple<NameId, NameId, Row>;  ///< name, inputs, and the related operator if it needs one
  using Key = std::tuple<Inputs, const GpuPeaks*, MathPrecision, bool>;

  void gather_kernels() {
    const Ids operators = shaped_operators_of_calls(trace_);
    const std::vector<KernelClass> classes = kernel_classes(trace_);
    const Kernels& k = trace_.kernels;
    found_.of_kernel.assign(row_count(k), kNone);
    for (Row row = 0; row < k.launch.size(); ++row) {
      const Row range = k.launch[row] == kNone ? kNone : operators[k.launch[row]];
      if (range != kNone) add_kernel(row, call_of(range, row), classes[row]);
    }
  }

  uint32_t call_of(Row range, Row kernel) {
    const auto [known, fresh] = call_of_range_.try_emplace(range, static_cast<uint32_t>(found_.calls.size()));
    if (fresh) {
      found_.calls.push_back({.range = range});
      math_.emplace_back();
      const DeviceId device = trace_.streams[trace_.kernels.stream[kernel]].device;
      call_peaks_.push_back(device == kNone ? nullptr : peaks_[device]);
    }
    return known->second;
  }

  void add_kernel(Row row, uint32_t call, KernelClass kind) {
    const int64_t duration = trace_.kernels.end[row] - trace_.kernels.start[row];
    found_.of_kernel[row] = call;
    found_.calls[call].kernels += 1;
    found_.calls[call].kernel_ns += duration;
    if (tells_math(kind) && duration > math_[call].duration_ns)
      math_[call] = {duration, kind, trace_.kernels.name[row]};
  }

  /// An operator that launches kernels and contains one of the same kind that does, too, leaves the work to it:
  /// PyTorch's attention operators call one another.
  void find_work_inside() {
    const Ranges& r = trace_.ranges;
    work_inside_.assign(found_.calls.size(), false);
    for (const OperatorCall& call : found_.calls) {
      const OperatorKind kind = kind_of(call.range);
      if (!counts_flop(kind)) continue;
      for (Row row = r.parent[call.range]; row != kNone; row = r.parent[row]) {
        const auto around = call_of_range_.find(row);
        if (around != call_of_range_.end() && kind_of(row) == kind) work_inside_[around->second] = true;
      }
    }
  }

  OperatorKind kind_of(Row range) {
    const auto [known, fresh] = kinds_.try_emplace(trace_.ranges.name[range], OperatorKind::other);
    if (fresh) known->second = operator_work(trace_.name(known->first), OperatorInputs({})).kind;
    return known->second;
  }

  /// The operator whose inputs tell what a call's lack; the first one with these inputs.
  Row related_to(Row range) {
    const Ranges& r = trace_.ranges;
    Row related = kNone;
    if (needs_operator_around(trace_.name(r.name[range]))) related = r.parent[range];
    const auto backward = backward_of_.find(range);
    if (backward != backward_of_.end()) related = backward->second;
    if (related == kNone || r.shapes[related] == kNone) return kNone;
    return first_related_.try_emplace(std::pair(r.name[related], r.shapes[related]), related).first->second;
  }

  Inputs inputs_of(Row range) { return {trace_.ranges.name[range], trace_.ranges.shapes[range], related_to(range)}; }

  [[nodiscard]] std::optional<RelatedOperator> related(Row range) const {
    if (range == kNone) return std::nullopt;
    const Ranges& r = trace_.ranges;
    return RelatedOperator{trace_.name(r.name[range]), OperatorInputs(trace_.name(r.shapes[range]))};
  }

  /// Parses inputs once each.
  const OperatorWork& work_of(const Inputs& inputs) {
    const auto [known, fresh] = works_.try_emplace(inputs);
    if (!fresh) return known->second;
    const auto [name, recorded, other] = inputs;
    known->second = operator_work(trace_.name(name), OperatorInputs(trace_.name(recorded)), related(other));
    return known->second;
  }

  /// Backward convolutions by their forward ones.
  void find_backward_convolutions() {
    const Ranges& r = trace_.ranges;
    if (r.forward.empty()) return;
    for (Row row = 0; row < row_count(r); ++row) {
      if (r.shapes[row] == kNone || !is_named(row, &is_backward_convolution)) continue;
      Row outer = row;
      while (outer != kNone && r.forward[outer] == kNone) outer = r.parent[outer];
      Row forward = outer == kNone ? kNone : r.forward[outer];
      while (forward != kNone && !is_named(forward, &is_cudnn_convolution)) forward = r.parent[forward];
      if (forward != kNone) backward_of_.try_emplace(forward, row);
    }
  }

  [[nodiscard]] bool is_named(Row range, bool (*named)(std::string_view)) const {
    return trace_.domains[trace_.ranges.domain[range]].kind == DomainKind::op &&
           named(trace_.name(trace_.ranges.name[range]));
  }

  void give_shape(uint32_t call) {
    const Inputs inputs = inputs_of(found_.calls[call].range);
    const OperatorWork& work = work_of(inputs);
    const GpuPeaks* peaks = call_peaks_[call];
    const MathPrecision precision =
        counts_flop(work.kind) ? precision_of(trace_, work.format, math_[call], peaks) : MathPrecision::unknown;
    const Key key{inputs, peaks, precision, work_inside_[call]};
    const auto [known, fresh] = shape_of_.try_emplace(key, static_cast<uint32_t>(found_.shapes.size()));
    if (fresh) {
      const auto [name, recorded, other] = inputs;
      found_.shapes.push_back(
          {.name = name, .inputs = recorded, .peaks = peaks, .precision = precision, .work = work, .roofline_ns = {}});
      if (work_inside_[call]) found_.shapes.back().work.work = {};
      set_roofline(found_.shapes.back());
    }
    count(call, known->second);
  }

  void count(uint32_t call, uint32_t shape) {
    OperatorCall& counted = found_.calls[call];
    counted.shape = shape;
    found_.shapes[shape].calls += 1;
    found_.shapes[shape].kernels += counted.kernels;
    found_.shapes[shape].kernel_ns += counted.kernel_ns;
  }

  const Trace& trace_;
  OperatorCalls found_;
  std::vector<const GpuPeaks*> peaks_;       ///< of each device
  std::vector<const GpuPeaks*> call_peaks_;  ///< of each call
  std::vector<MathKernel> math_;             ///< of each call
  std::vector<bool> work_inside_;            ///< of each call
  boost::unordered_flat_map<Row, uint32_t> call_of_range_;
  boost::unordered_flat_map<NameId, OperatorKind> kinds_;
  boost::unordered_flat_map<Row, Row> backward_of_;
  boost::unordered_flat_map<std::pair<NameId, NameId>, Row> first_related_;
  boost::unordered_flat_map<Inputs, OperatorWork> works_;
  boost::unordered_flat_map<Key, uint32_t> shape_of_;
};

}  // namespace

MaybeAmount OperatorCalls::roofline_part(Row kernel) const {
  if (of_kernel[kernel] == kNone) return std::nullopt;
  const OperatorCall& call = calls[of_kernel[kernel]];
  const MaybeAmount& least_ns = shapes[call.shape].roofline_ns;
  if (!least_ns || call.kernel_ns == 0) return std::nullopt;
  return *least_ns / static_cast<double>(call.kernel_ns);
}

OperatorCalls operator_calls(const Trace& trace) {
  if (trace.ranges.shapes.empty() || trace.kernels.launch.empty()) {
    return {.shapes = {}, .calls = {}, .of_kernel = Ids(row_count(trace.kernels), kNone)};
  }
  return OperatorCollector(trace).collect();
}

}  // namespace sonde
