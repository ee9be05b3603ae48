#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "findings/evidence/faster_kernels.h"
#include "findings/evidence/stream_breaks.h"
#include "trace/columns.h"

/// Attention as separate kernels on one stream: a matrix product, scaling and mask of the scores, softmax, dropout, and
/// a matrix product, without another kernel, copy or graph between them. Backward, two products are at either end. Each
/// passes the whole matrix of scores through memory, which fused attention does not. In the ceiling only the least time
/// of fused attention remains.
namespace sonde {
namespace unfused_attention_finding {
namespace {

/// Kernels of a stream without anything else between them.
using Chain = std::vector<Row>;

/// Scale, masks and dropout between two products.
constexpr size_t kMaxBetween = 7;
/// Fused attention computes the scores again backward: five products for four (Dao and others, FlashAttention).
constexpr double kBackwardProducts = 5.0 / 4;
/// Of the products' time, where the shapes are not known: they then no longer pass the scores through memory.
constexpr int64_t kProductsPart = 2;

bool is_matrix(KernelClass kind) {
  return kind == KernelClass::matrix || kind == KernelClass::matrix_tensor || kind == KernelClass::matrix_float32;
}

struct Attention {
  std::vector<Row> kernels;
  std::vector<Row> products;
  Row scores_product = kNone;  ///< the one whose result is a matrix of scores: the last before the softmax
  bool backward = false;
};

/// The attentions of a chain, none of which share a kernel.
class ChainReader {
 public:
  ChainReader(const Facts& facts, const Chain& chain) : facts_(facts), chain_(chain) {}

  template <typename F>
  void for_each_attention(F f) {
    for (size_t i = 0; i < chain_.size(); ++i) {
      if (kind(i) != KernelClass::softmax) continue;
      const auto ends = products_around(i);
      if (!ends) continue;
      f(attention(ends->first, i, ends->second));
    }
  }

 private:
  [[nodiscard]] KernelClass kind(size_t i) const { return facts_.kernel_classes[chain_[i]]; }
  [[nodiscard]] bool is_product(size_t i) const { return i < chain_.size() && i >= used_ && is_matrix(kind(i)); }
  /// In PyTorch, where operators are known, those with heads as batches.
  [[nodiscard]] bool is_batched_product(size_t i) const {
    const OperatorCalls& operators = facts_.operators();
    const uint32_t call = i < chain_.size() ? operators.of_kernel[chain_[i]] : kNone;
    if (call == kNone) return is_product(i);
    return is_product(i) && facts_.trace.name(operators.shapes[operators.calls[call].shape].name).contains("bmm");
  }

  /// The products before and after a softmax with elementwise kernels between.
  [[nodiscard]] std::optional<std::pair<size_t, size_t>> products_around(size_t softmax) const {
    size_t first = softmax;
    while (first > used_ && kind(first - 1) == KernelClass::elementwise) --first;
    size_t last = softmax + 1;
    while (last < chain_.size() && kind(last) == KernelClass::elementwise) ++last;
    if (first == 0 || !is_product(first - 1) || !is_product(last) || last - first > kMaxBetween) return std::nullopt;
    return std::pair(first - 1, last);
  }

  Attention attention(size_t first, size_t softmax, size_t last) {
    Attention found;
    found.scores_product = chain_[first];
    found.backward = facts_.trace.name(facts_.trace.kernels.name[chain_[softmax]]).contains("ackward");
    if (found.backward && first > 0 && is_batched_product(first - 1)) --first;
    if (found.backward && is_batched_product(last + 1)) ++last;
    for (size_t i = first; i <= last; ++i) {
      found.kernels.push_back(chain_[i]);
      if (is_matrix(kind(i))) found.products.push_back(chain_[i]);
    }
    used_ = last + 1;
    return found;
  }

  const Facts& facts_;
  const Chain& chain_;
  size_t used_ = 0;  ///< kernels before it belong to an attention
};

/// A product [batch, m, k] x [batch, k, n].
struct Product {
  double flop = 0;
  double elements = 0;  ///< of both matrices and the result
  double results = 0;
};

std::optional<Product> product_of(const Facts& facts, const OperatorShape& shape) {
  const bool adds = facts.trace.name(shape.name).contains("baddbmm");
  const OperatorInputs inputs(facts.trace.name(shape.inputs));
  const TensorShape* left = inputs.shape(adds ? 1 : 0);
  const TensorShape* right = inputs.shape(adds ? 2 : 1);
  if (left == nullptr || right == nullptr || left->size() != 3 || right->size() != 3) return std::nullopt;
  const double results =
      static_cast<double>(left->at(0)) * static_cast<double>(left->at(1)) * static_cast<double>(right->at(2));
  return Product{.flop = 2 * results * static_cast<double>(left->at(2)),
                 .elements = elements(*left) + elements(*right) + results,
                 .results = results};
}

/// The fastest products of float32 numbers that fused attention uses are three of TF32 each.
MaybeAmount peak_of(const OperatorShape& shape) {
  const auto own = shape.peaks->flop_per_second(shape.precision);
  if (shape.precision != MathPrecision::fp32) return own;
  const auto three = shape.peaks->flop_per_second(MathPrecision::tf32_three);
  return three && own ? std::max(*three, *own) : own;
}

double element_bytes(NumberFormat format) {
  if (format == NumberFormat::fp64) return 8;
  return format == NumberFormat::fp32 ? 4 : 2;
}

/// Of one attention from the shapes of its products: their FLOP, or query, key, value, results and gradients through
/// memory, each product's matrices less the scores. Absent where they are not known.
MaybeAmount fused_ns(const Facts& facts, const Attention& attention) {
  const OperatorCalls& operators = facts.operators();
  double flop = 0;
  double elements = 0;
  double scores = 0;
  const OperatorShape* shape = nullptr;
  for (const Row row : attention.products) {
    const uint32_t call = operators.of_kernel[row];
    if (call == kNone) return std::nullopt;
    const OperatorShape& of = operators.shapes[operators.calls[call].shape];
    const auto product = product_of(facts, of);
    if (!product || of.peaks == nullptr) return std::nullopt;
    flop += product->flop;
    elements += product->elements;
    if (row != attention.scores_product) continue;
    scores = product->results;
    shape = &of;
  }
  const MaybeAmount peak = shape == nullptr ? MaybeAmount() : peak_of(*shape);
  if (!peak) return std::nullopt;
  const double bytes = std::max(0.0, elements - scores * static_cast<double>(attention.products.size())) *
                       element_bytes(shape->work.format);
  const double products = attention.backward ? kBackwardProducts : 1;
  return 1e9 * std::max(flop * products / *peak, bytes / shape->peaks->bytes_per_second());
}

int64_t duration_of(const Facts& facts, Row row) {
  return facts.trace.kernels.end[row] - facts.trace.kernels.start[row];
}

/// What remains takes its time in the products, each a part as large as its own.
void add_attention(const Facts& facts, const Attention& attention, FasterKernels& faster) {
  int64_t products_ns = 0;
  for (const Row row : attention.products) products_ns += duration_of(facts, row);
  const auto half = static_cast<double>(products_ns) / kProductsPart;
  const double least = std::min(fused_ns(facts, attention).value_or(half), static_cast<double>(products_ns));
  const double part = products_ns > 0 ? least / static_cast<double>(products_ns) : 0;
  for (const Row row : attention.kernels) {
    const bool product = is_matrix(facts.kernel_classes[row]);
    faster.add(facts, row, product ? static_cast<int64_t>(part * static_cast<double>(duration_of(facts, row))) : 0);
  }
}

/// Judged kernels of each stream, cut where something else lies between two.
std::vector<Chain> chains_of(const Facts& facts) {
  const Kernels& k = facts.trace.kernels;
  const StreamBreaks breaks({&facts.trace.copies, &facts.trace.graph_launches});
  std::map<StreamId, size_t> open;
  std::vector<Chain> chains;
  for (Row row = 0; row < row_count(k); ++row) {
    if (!facts.judged(k.start[row])) continue;
    const auto [chain, fresh] = open.try_emplace(k.stream[row], chains.size());
    if (fresh) chains.emplace_back();
    const bool broken =
        !fresh && breaks.any_between(k.stream[row], k.start[chains[chain->second].back()], k.start[row]);
    if (broken) {
      chain->second = chains.size();
      chains.emplace_back();
    }
    chains[chain->second].push_back(row);
  }
  return chains;
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  FasterKernels faster;
  int64_t count = 0;
  const size_t findings = diagnosis.findings.size();
  for (const Chain& chain : chains_of(facts)) {
    ChainReader(facts, chain).for_each_attention([&](const Attention& attention) {
      add_attention(facts, attention, faster);
      ++count;
    });
  }
  add_faster_kernels(facts, "unfused_attention", faster, {count_argument("count", count)}, diagnosis);
  if (diagnosis.findings.size() == findings) return;
  for (const Change::Resized& part : faster.kernels) diagnosis.claims.kernels.push_back(part.row);
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"unfused_attention.says",
     "{count} attention passes, forward or backward, run as separate matrix, softmax and elementwise kernels, for "
     "{time} in total: {most}."},
    {"unfused_attention.do",
     "Use fused attention: torch.nn.functional.scaled_dot_product_attention, FlashAttention, xFormers or cuDNN. It "
     "keeps the scores on the chip."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{.ids = {"unfused_attention"},
                     .reports = "A matrix product, elementwise kernels, one softmax and another matrix product follow "
                                "each other on one stream. Backward, the product before the first and the one "
                                "after the last also count.",
                     .when = fmt::format("The kernels take at least {} % of the judged time.", kWorthPercent),
                     .not_when = "Another kernel, a copy or a graph between them ends the pattern.",
                     .ceiling =
                         "Replay with only the least time of fused attention: the products' FLOP (backward 5 for 4) at "
                         "the peak of their precision, or query, key, value, results and gradients once at the "
                         "memory's peak, whichever is longer. If the shapes or the GPU's peaks are not known, half of "
                         "the products' time.",
                     .evidence = "The kernels that lose the most time."}};
}

}  // namespace
}  // namespace unfused_attention_finding

extern const Rule unfused_attention_rule;
const Rule unfused_attention_rule{.name = "unfused_attention",
                                  .description = "attention as separate kernels that pass the scores through memory",
                                  .fields = kFasterKernelsFields | kOperatorFields,
                                  .checks = kFasterKernelsChecks,
                                  .judge = &unfused_attention_finding::judge,
                                  .texts = unfused_attention_finding::kTexts,
                                  .docs = &unfused_attention_finding::docs,
                                  .saves = Saves::gpu_work,
                                  .claims = ClaimUse::adds};

}  // namespace sonde
