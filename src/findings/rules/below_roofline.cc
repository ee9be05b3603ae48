#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "findings/evidence/faster_kernels.h"
#include "findings/evidence/most_of.h"
#include "trace/columns.h"

/// Operators of PyTorch that take a large part of the time and run far below what the peaks of their GPU allow for the
/// shapes of their inputs.
namespace sonde {
namespace below_roofline_finding {
namespace {

/// A third: tuned kernels reach more in the measured cases (docs/profiles/operators.md).
constexpr double kFarPercent = 33;
/// Of the judged time, for one kind of operator.
constexpr double kLargePercent = 5;
/// Shorter kernels mostly start and end; tiny_kernels and launch_bound judge them.
constexpr int64_t kMinKernelNs = 10'000;
/// What a kernel that only starts and ends takes (small_grid).
constexpr int64_t kEmptyKernelNs = 3'000;
/// Of the time of convolutions, for kernels that only change the layout.
constexpr double kLayoutPercent = 10;

/// Judged calls of one shape.
struct Judged {
  int64_t ns = 0;
  int64_t layout_ns = 0;         ///< of kernels that only change the layout
  int64_t channels_last_ns = 0;  ///< of kernels for channels_last
  int64_t kernels = 0;
  double roofline_ns = 0;
};

/// cuDNN's and MIOpen's names of kernels that change the layout for a convolution.
bool changes_layout(std::string_view kernel) {
  constexpr auto kParts =
      std::to_array<std::string_view>({"nchwToNhwc", "nhwcToNchw", "batched_transpose", "nchwToFold", "foldToNchw"});
  return std::ranges::any_of(kParts, [&](std::string_view part) { return kernel.contains(part); });
}

/// PyTorch's and cuDNN's names of norms in that layout.
bool is_channels_last(std::string_view kernel) {
  return kernel.contains("channels_last") || kernel.contains("NHWC") || kernel.contains("nhwc");
}

/// Operators and what they took in the judged part of the run.
class JudgedOperators {
 public:
  explicit JudgedOperators(const Facts& facts, const Claims& claims)
      : facts_(facts), operators_(facts.operators()), claimed_(operators_.of_kernel.size(), false) {
    judged_.resize(operators_.shapes.size());
    claim_attention(claims);
    const Kernels& k = facts.trace.kernels;
    std::vector<bool> counted(operators_.calls.size(), false);
    for_each_kernel([&](Row row, uint32_t call) {
      const uint32_t shape = operators_.calls[call].shape;
      Judged& sum = judged_[shape];
      const int64_t duration = k.end[row] - k.start[row];
      const std::string_view name = facts.trace.name(k.name[row]);
      sum.ns += duration;
      sum.kernels += 1;
      sum.layout_ns += changes_layout(name) ? duration : 0;
      sum.channels_last_ns += is_channels_last(name) ? duration : 0;
      if (!counted[call]) sum.roofline_ns += operators_.shapes[shape].roofline_ns.value_or(0);
      counted[call] = true;
    });
  }

  [[nodiscard]] const OperatorShape& shape(uint32_t i) const { return operators_.shapes[i]; }
  [[nodiscard]] const Judged& judged(uint32_t i) const { return judged_[i]; }

  /// Shapes of a kind that are far below their roofline, and whose kernels are long enough to be judged by it.
  [[nodiscard]] std::vector<uint32_t> far_ones(OperatorKind kind) const {
    std::vector<uint32_t> found;
    for (uint32_t i = 0; i < judged_.size(); ++i) {
      const Judged& sum = judged_[i];
      if (operators_.shapes[i].work.kind != kind || !operators_.shapes[i].roofline_ns) continue;
      const bool is_long = sum.ns > 0 && sum.ns >= kMinKernelNs * sum.kernels;
      if (is_long && sum.roofline_ns < kFarPercent / 100 * static_cast<double>(sum.ns)) found.push_back(i);
    }
    return found;
  }

  /// Their kernels at the roofline.
  [[nodiscard]] FasterKernels at_roofline(const std::vector<uint32_t>& shapes) const {
    std::vector<bool> chosen(judged_.size(), false);
    for (const uint32_t shape : shapes) chosen[shape] = true;
    FasterKernels faster;
    const Kernels& k = facts_.trace.kernels;
    for_each_kernel([&](Row row, uint32_t call) {
      if (!chosen[operators_.calls[call].shape]) return;
      const auto duration = static_cast<double>(k.end[row] - k.start[row]);
      const double part = operators_.roofline_part(row).value_or(1);
      const auto least = std::max(kEmptyKernelNs, static_cast<int64_t>(duration * part));
      faster.add(facts_, row, std::min(k.end[row] - k.start[row], least));
    });
    return faster;
  }

 private:
  /// Attention in float32 has its low rate from that: float32_work has it.
  void claim_attention(const Claims& claims) {
    for (const Row row : claims.float32) {
      const uint32_t call = operators_.of_kernel[row];
      if (call == kNone) continue;
      claimed_[row] = operators_.shapes[operators_.calls[call].shape].work.kind == OperatorKind::attention;
    }
  }
  template <typename F>
  void for_each_kernel(F f) const {
    for (Row row = 0; row < operators_.of_kernel.size(); ++row) {
      if (operators_.of_kernel[row] != kNone && !claimed_[row] && facts_.judged(facts_.trace.kernels.start[row])) {
        f(row, operators_.of_kernel[row]);
      }
    }
  }

  const Facts& facts_;
  const OperatorCalls& operators_;
  std::vector<bool> claimed_;  ///< of each kernel
  std::vector<Judged> judged_;
};

/// Shapes as people write them: "64x3x224x224, 64x3x7x7".
std::string shapes_text(const OperatorInputs& inputs) {
  std::string text;
  size_t shown = 0;
  for (size_t i = 0; i < inputs.size() && shown < 2; ++i) {
    if (inputs.shape(i) == nullptr || inputs.shape(i)->size() < 2) continue;
    text += shown++ == 0 ? "" : ", ";
    text += fmt::format("{}", fmt::join(*inputs.shape(i), "x"));
  }
  return text;
}

std::string label_of(const Trace& trace, const OperatorShape& shape) {
  return fmt::format("{} ({})", trace.name(shape.name), shapes_text(OperatorInputs(trace.name(shape.inputs))));
}

/// "24 of 989 TFLOP/s (BF16)", "0.18 of 3.35 TB/s".
std::string rate_of(const OperatorShape& shape, const Judged& judged) {
  const double calls = judged.roofline_ns / *shape.roofline_ns;
  const auto ns = static_cast<double>(judged.ns);
  if (shape.memory_bound) {
    return fmt::format("{:.2f} of {:.2f} TB/s", calls * *shape.work.work.bytes / ns / 1e3,
                       shape.peaks->memory_gb_per_s / 1e3);
  }
  return fmt::format("{:.0f} of {:.0f} TFLOP/s ({})", calls * *shape.work.work.flop / ns / 1e3,
                     shape.peaks->flop_per_second(shape.precision).value_or(0) / 1e12, precision_name(shape.precision));
}

/// Elements of a row that tensor cores load at once: 16 bytes (NVIDIA, Matrix Multiplication Background User's Guide).
int64_t aligned_elements(NumberFormat format) {
  switch (format) {
    case NumberFormat::fp16:
    case NumberFormat::bf16: return 8;
    case NumberFormat::fp8:
    case NumberFormat::int8: return 16;
    case NumberFormat::fp32: return 4;
    default: return 1;
  }
}

bool is_aligned(const TensorShape& shape, size_t from, NumberFormat format) {
  return std::ranges::all_of(shape.begin() + static_cast<std::ptrdiff_t>(std::min(from, shape.size())), shape.end(),
                             [&](int64_t d) { return d % aligned_elements(format) == 0; });
}

bool has_odd_matrix(const OperatorInputs& inputs, NumberFormat format) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorShape* shape = inputs.shape(i);
    if (shape != nullptr && shape->size() >= 2 && !is_aligned(*shape, shape->size() - 1, format)) return true;
  }
  return false;
}

/// Channels of input and result are those of the weight, the tensor with the fewest pixels.
bool has_odd_channels(const OperatorInputs& inputs, NumberFormat format) {
  for (size_t i = 0; i < std::min<size_t>(inputs.size(), 3); ++i) {
    const TensorShape* shape = inputs.shape(i);
    if (shape != nullptr && shape->size() >= 3 && shape->at(1) % aligned_elements(format) != 0) return true;
  }
  return false;
}

std::string_view convolution_id(const OperatorShape& shape, const OperatorInputs& inputs, const Judged& whole) {
  const double layout = 100 * static_cast<double>(whole.layout_ns) / static_cast<double>(whole.ns);
  if (layout >= kLayoutPercent) return "below_roofline_convolution_layout";
  if (has_odd_channels(inputs, shape.work.format)) return "below_roofline_convolution_channels";
  return "below_roofline_convolution";
}

std::string_view norm_id(std::string_view name, const Judged& whole) {
  const bool other_layout = name.contains("batch_norm") && 2 * whole.channels_last_ns < whole.ns;
  return other_layout ? "below_roofline_batch_norm" : "below_roofline_norm";
}

/// What to say: by the kind, and by what the shape with the most time shows.
std::string_view id_of(const Trace& trace, const OperatorShape& shape, const Judged& whole) {
  const OperatorInputs inputs = OperatorInputs(trace.name(shape.inputs));
  switch (shape.work.kind) {
    case OperatorKind::convolution: return convolution_id(shape, inputs, whole);
    case OperatorKind::attention:
      return shape.precision == MathPrecision::tf32_three ? "below_roofline_attention_float32"
                                                          : "below_roofline_attention";
    case OperatorKind::norm: return norm_id(trace.name(shape.name), whole);
    case OperatorKind::elementwise:
    case OperatorKind::reduction: return "below_roofline_elementwise";
    default: break;
  }
  return has_odd_matrix(inputs, shape.work.format) ? "below_roofline_matrix_alignment" : "below_roofline_matrix";
}

void judge_kind(const Facts& facts, const JudgedOperators& operators, OperatorKind kind, Diagnosis& diagnosis) {
  const std::vector<uint32_t> found = operators.far_ones(kind);
  if (found.empty()) return;
  const FasterKernels faster = operators.at_roofline(found);
  if (facts.percent_of_wall(facts.per_gpu(faster.now_ns)) < kLargePercent) return;
  Judged whole;
  std::map<std::string, int64_t> labels;
  for (const uint32_t i : found) {
    const Judged& sum = operators.judged(i);
    whole.ns += sum.ns;
    whole.layout_ns += sum.layout_ns;
    whole.channels_last_ns += sum.channels_last_ns;
    whole.roofline_ns += sum.roofline_ns;
    labels[label_of(facts.trace, operators.shape(i))] += sum.ns;
  }
  const uint32_t top = *std::ranges::max_element(found, {}, [&](uint32_t i) { return operators.judged(i).ns; });
  const OperatorShape& shape = operators.shape(top);
  add_slow_kernels(
      facts, id_of(facts.trace, shape, whole), faster,
      {percent_argument("share", 100 * whole.roofline_ns / static_cast<double>(whole.ns)),
       text_argument("gpu", std::string(shape.peaks->name)), text_argument("operator", label_of(facts.trace, shape)),
       text_argument("rate", rate_of(shape, operators.judged(top))), text_argument("operators", most_of(labels))},
      diagnosis);
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  if (facts.trace.ranges.shapes.empty()) return;
  const JudgedOperators operators(facts, *diagnosis.earlier);
  for (const OperatorKind kind : {OperatorKind::matrix, OperatorKind::convolution, OperatorKind::attention,
                                  OperatorKind::norm, OperatorKind::elementwise}) {
    judge_kind(facts, operators, kind, diagnosis);
  }
}

#define SONDE_SAYS(what) \
  what " take {time} at {share} of what the {gpu} can do for their shapes. {operator} reaches {rate}."

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"below_roofline_matrix.says", SONDE_SAYS("Matrix products")},
    {"below_roofline_matrix.do",
     "Give each product more work: a larger batch, one product instead of several, padded sequences in one batch. "
     "Compare cuBLASLt, CUTLASS and Triton (torch.compile, mode=\"max-autotune\")."},
    {"below_roofline_matrix_alignment.says", SONDE_SAYS("Matrix products")},
    {"below_roofline_matrix_alignment.do",
     "Pad the inner dimensions to a multiple of 16 bytes (8 elements of float16 or bfloat16), better 64 elements: "
     "tensor cores then load whole rows. Typical places are the vocabulary size and odd hidden sizes."},
    {"below_roofline_convolution.says", SONDE_SAYS("Convolutions")},
    {"below_roofline_convolution.do",
     "Set torch.backends.cudnn.benchmark = True for fixed shapes, and use a larger batch. Use channels_last for the "
     "model and its input if they are not in that layout yet. Convolutions with many groups do little work per byte: "
     "prefer fewer groups."},
    {"below_roofline_convolution_layout.says",
     SONDE_SAYS("Convolutions") " Part of the time goes to kernels that change the layout."},
    {"below_roofline_convolution_layout.do",
     "Use model.to(memory_format=torch.channels_last) and the same for the input: tensor cores compute in that layout, "
     "and the conversions disappear."},
    {"below_roofline_convolution_channels.says", SONDE_SAYS("Convolutions")},
    {"below_roofline_convolution_channels.do",
     "Use numbers of channels that are multiples of 8 (float16, bfloat16) or 4 (TF32), for example by padding the "
     "first layer's input, with channels_last: tensor cores need them."},
    {"below_roofline_attention.says", SONDE_SAYS("Attention operators")},
    {"below_roofline_attention.do",
     "Compare the backends of scaled_dot_product_attention (torch.nn.attention.sdpa_kernel: cuDNN, FlashAttention). "
     "Head lengths of 64 or 128, longer sequences and larger batches run at higher rates."},
    {"below_roofline_attention_float32.says",
     SONDE_SAYS("Attention operators in float32") " Each of their products takes three in TF32."},
    {"below_roofline_attention_float32.do",
     "Use bfloat16 or float16 for query, key and value (torch.autocast): FlashAttention and cuDNN compute these types "
     "only."},
    {"below_roofline_norm.says", SONDE_SAYS("Norms")},
    {"below_roofline_norm.do",
     "Let torch.compile fuse them with their neighbors, or use a fused kernel (Apex, Liger, Transformer Engine): each "
     "tensor is then read once."},
    {"below_roofline_batch_norm.says", SONDE_SAYS("Batch norms")},
    {"below_roofline_batch_norm.do",
     "Use model.to(memory_format=torch.channels_last) and the same for the input: its batch norm kernels read whole "
     "rows. For inference fold the norm into the convolution; for training let torch.compile fuse it with its "
     "neighbors."},
    {"below_roofline_elementwise.says", SONDE_SAYS("Elementwise operators")},
    {"below_roofline_elementwise.do",
     "Look for inputs that are not contiguous (transpose, permute, expand before the operator) and for copies that "
     "change the layout. torch.compile fuses chains of such operators into one kernel."},
});

#undef SONDE_SAYS

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"below_roofline_matrix", "below_roofline_matrix_alignment", "below_roofline_convolution",
              "below_roofline_convolution_layout", "below_roofline_convolution_channels", "below_roofline_attention",
              "below_roofline_attention_float32", "below_roofline_norm", "below_roofline_batch_norm",
              "below_roofline_elementwise"},
      .reports = "PyTorch operators of one kind run far below the roofline of their GPU for the shapes of their inputs "
                 "([definitions](operators.md)).",
      .when = fmt::format("Operators with the same shapes run below {} % of their roofline and their kernels take at "
                          "least {} us on average. Together they take at least {} % of the judged time. `_layout`: at "
                          "least {} % of it goes to kernels that change the layout.",
                          kFarPercent, kMinKernelNs / 1000, kLargePercent, kLayoutPercent),
      .not_when = "Traces without shapes (record_shapes=True) and GPUs that the table of peaks lacks. Operators whose "
                  "work is not known.",
      .ceiling =
          "The time of these kernels less their time at the roofline, which is at least 3 us each. Replay does not "
          "limit it, since the profiler slows the host more than the GPU.",
      .evidence = "The kernels that lose the most time."}};
}

}  // namespace
}  // namespace below_roofline_finding

extern const Rule below_roofline_rule;
const Rule below_roofline_rule{.name = "below_roofline",
                               .description = "operators far below what their GPU can do for their shapes",
                               .fields = kFasterKernelsFields | kOperatorFields,
                               .checks = kFasterKernelsChecks,
                               .judge = &below_roofline_finding::judge,
                               .texts = below_roofline_finding::kTexts,
                               .docs = &below_roofline_finding::docs,
                               .saves = Saves::gpu_work,
                               .claims = ClaimUse::reads};

}  // namespace sonde
