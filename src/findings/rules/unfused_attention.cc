#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "findings/evidence/faster_kernels.h"
#include "findings/evidence/stream_breaks.h"
#include "trace/columns.h"

/// Attention as separate kernels on one stream: a matrix product, scaling and mask of the scores, softmax, dropout, and
/// a matrix product, without another kernel, copy or graph between them. Each passes the whole matrix of scores through
/// memory, which fused attention does not. In the ceiling only half of the matrix products' time remains.
namespace sonde {
namespace unfused_attention_finding {
namespace {

/// Kernels of one attention, in their order.
using Attention = std::vector<Row>;

bool is_matrix(KernelClass kind) {
  return kind == KernelClass::matrix || kind == KernelClass::matrix_tensor || kind == KernelClass::matrix_float32;
}

/// Follows the kernels of a stream.
class Pattern {
 public:
  /// An operation that has no place in an attention.
  void clear() {
    kernels_.clear();
    softmaxes_ = 0;
  }
  [[nodiscard]] const Attention& kernels() const { return kernels_; }
  /// Whether `row` ends an attention, whose kernels are then in `kernels`.
  [[nodiscard]] bool ends_with(Row row, KernelClass kind) {
    if (is_matrix(kind)) {
      const bool whole = softmaxes_ == 1;
      if (whole) kernels_.push_back(row);
      found_ = whole ? kernels_ : Attention();
      // One product may end an attention and not begin another.
      kernels_.assign(whole ? 0 : 1, row);
      softmaxes_ = 0;
      return whole;
    }
    const bool between = kind == KernelClass::softmax || kind == KernelClass::elementwise;
    if (kernels_.empty() || !between || kernels_.size() > kMaxKernels) {
      clear();
      return false;
    }
    kernels_.push_back(row);
    softmaxes_ += kind == KernelClass::softmax ? 1 : 0;
    return false;
  }
  [[nodiscard]] const Attention& found() const { return found_; }

 private:
  static constexpr size_t kMaxKernels = 8;
  Attention kernels_;
  Attention found_;
  int softmaxes_ = 0;
};

void judge(const Facts& facts, Diagnosis& diagnosis) {
  const Kernels& k = facts.trace.kernels;
  const StreamBreaks breaks({&facts.trace.copies, &facts.trace.graph_launches});
  std::map<StreamId, Pattern> patterns;
  FasterKernels faster;
  int64_t count = 0;
  const size_t findings = diagnosis.findings.size();
  for (Row row = 0; row < row_count(k); ++row) {
    if (!facts.judged(k.start[row])) continue;
    Pattern& pattern = patterns[k.stream[row]];
    const bool broken = !pattern.kernels().empty() &&
                        breaks.any_between(k.stream[row], k.start[pattern.kernels().back()], k.start[row]);
    if (broken) pattern.clear();
    if (!pattern.ends_with(row, facts.kernel_classes[row])) continue;
    ++count;
    for (const Row part : pattern.found()) {
      faster.add(facts, part, is_matrix(facts.kernel_classes[part]) ? (k.end[part] - k.start[part]) / 2 : 0);
    }
  }
  add_faster_kernels(facts, "unfused_attention", faster, {count_argument("count", count)}, diagnosis);
  if (diagnosis.findings.size() == findings) return;
  for (const Change::Resized& part : faster.kernels) diagnosis.claims.kernels.push_back(part.row);
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"unfused_attention.says",
     "{count} attentions run as separate matrix, softmax and elementwise kernels, for {time} in total: {most}."},
    {"unfused_attention.do",
     "Use fused attention: torch.nn.functional.scaled_dot_product_attention, FlashAttention, xFormers or cuDNN. It "
     "keeps the scores on the chip."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{.ids = {"unfused_attention"},
                     .reports = "A matrix product, elementwise kernels, one softmax and another matrix product follow "
                                "each other on one stream.",
                     .when = fmt::format("The kernels take at least {} % of the judged time.", kWorthPercent),
                     .not_when = "Another kernel, a copy or a graph between them ends the pattern.",
                     .ceiling = "Replay with only half of the matrix products' time.",
                     .evidence = "The kernels that lose the most time."}};
}

}  // namespace
}  // namespace unfused_attention_finding

extern const Rule unfused_attention_rule;
const Rule unfused_attention_rule{.name = "unfused_attention",
                                  .description = "attention as separate kernels that pass the scores through memory",
                                  .fields = kFasterKernelsFields,
                                  .checks = kFasterKernelsChecks,
                                  .judge = &unfused_attention_finding::judge,
                                  .texts = unfused_attention_finding::kTexts,
                                  .docs = &unfused_attention_finding::docs,
                                  .saves = Saves::gpu_work};

}  // namespace sonde
