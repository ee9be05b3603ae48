#include "findings/evidence/pointwise_chains.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "findings/evidence/short_kernels.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// Results of special function units (MUFU) for an element, in float32: sigmoid is an exponential and a reciprocal, and
/// so is CUDA's tanhf() beyond |x| = 0.55. Operators that are left out may use them too.
struct SpecialResults {
  std::string_view name;
  double results;
};
constexpr auto kSpecialResults = std::to_array<SpecialResults>({{"exp", 1},
                                                                {"log", 1},
                                                                {"sqrt", 1},
                                                                {"rsqrt", 1},
                                                                {"reciprocal", 1},
                                                                {"sigmoid", 2},
                                                                {"silu", 2},
                                                                {"tanh", 2},
                                                                {"silu_backward", 2}});

/// "mul" of "aten::mul_".
std::string_view plain_name(std::string_view name) {
  constexpr std::string_view kNamespace = "aten::";
  if (name.starts_with(kNamespace)) name.remove_prefix(kNamespace.size());
  if (name.ends_with('_')) name.remove_suffix(1);
  return name;
}

double special_results(std::string_view name) {
  const auto* const found = std::ranges::find(kSpecialResults, plain_name(name), &SpecialResults::name);
  return found == kSpecialResults.end() ? 0 : found->results;
}

/// Fills read nothing; random numbers are another kind of work.
bool reads_nothing(std::string_view name) {
  constexpr auto kNames = std::to_array<std::string_view>({"fill", "zero"});
  return std::ranges::find(kNames, plain_name(name)) != kNames.end();
}

/// What a pointwise operator moves.
struct Pointwise {
  double elements = 0;  ///< of its result
  double bytes = 0;     ///< read and written
  double read = 0;      ///< of the largest tensor that it reads
  double written = 0;
  double special = 0;           ///< results of special function units
  std::set<double> word_bytes;  ///< of elements of its tensors of that size
  bool in_place = false;
};

/// Absent for what is no pointwise operator over tensors of known size.
std::optional<Pointwise> pointwise_of(const Trace& trace, const OperatorShape& shape) {
  const std::string_view name = trace.name(shape.name);
  const bool may_be = shape.work.kind == OperatorKind::elementwise || shape.work.kind == OperatorKind::other;
  if (!may_be || reads_nothing(name)) return std::nullopt;
  const OperatorInputs inputs(trace.name(shape.inputs));
  const bool is_copy = plain_name(name) == "copy";
  Pointwise found;
  double all = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs.shape(i) == nullptr) continue;
    if (!inputs.bytes(i)) return std::nullopt;
    found.elements = std::max(found.elements, elements(*inputs.shape(i)));
    all += *inputs.bytes(i);
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs.shape(i) == nullptr || elements(*inputs.shape(i)) != found.elements) continue;
    found.word_bytes.insert(*inputs.element_bytes(i));
    if (!is_copy || i == 1) found.read = std::max(found.read, *inputs.bytes(i));
  }
  if (found.word_bytes.empty() || found.read <= 0) return std::nullopt;
  found.bytes = shape.work.work.bytes.value_or(all + found.elements * *found.word_bytes.rbegin());
  found.written = found.bytes > all ? found.bytes - all : found.elements * *found.word_bytes.begin();
  // Those of 8 bytes are not computed in float32.
  found.special = *found.word_bytes.rbegin() < 8 ? found.elements * special_results(name) : 0;
  found.in_place = name.ends_with('_');
  return found;
}

/// 16 of each SM and clock (CUDA C++ Programming Guide, throughput of native arithmetic instructions), which has 64 or
/// 128 lanes of float32 with two operations each. 0 where that is not known.
double special_results_per_second(const Device& device, const GpuPeaks& peaks) {
  if (!device.compute_major || peaks.name.starts_with("MI")) return 0;
  const bool few_lanes = *device.compute_major == 7 || (*device.compute_major == 8 && device.compute_minor == 0);
  return peaks.fp32_tflops * 1e12 / (2 * (few_lanes ? 64 : 128)) * 16;
}

class ChainFinder {
 public:
  ChainFinder(const Facts& facts, const Claims& claims)
      : facts_(facts),
        k_(facts.trace.kernels),
        order_(facts),
        operators_(facts.operators()),
        claimed_(claims.kernels.begin(), claims.kernels.end()) {
    for (const OperatorShape& shape : operators_.shapes) pointwise_.push_back(pointwise_of(facts.trace, shape));
  }

  std::vector<PointwiseChain> find() {
    std::map<StreamId, std::vector<Row>> open;
    for (Row row = 0; row < row_count(k_); ++row) {
      if (!facts_.judged(k_.start[row])) continue;
      std::vector<Row>& chain = open[k_.stream[row]];
      const bool member = is_member(row);
      if (!chain.empty() && (!member || !passes_on(chain.back(), row))) close(chain);
      if (member) chain.push_back(row);
    }
    for (auto& [stream, chain] : open) close(chain);
    std::ranges::sort(chains_, {}, [](const PointwiseChain& chain) { return chain.kernels.front(); });
    return std::move(chains_);
  }

 private:
  [[nodiscard]] int64_t duration(Row row) const { return k_.end[row] - k_.start[row]; }

  /// nullptr for a kernel of another operator, or of one whose inputs were not recorded.
  [[nodiscard]] const Pointwise* pointwise(Row row) const {
    const uint32_t call = operators_.of_kernel[row];
    if (call == kNone || operators_.calls[call].kernels != 1) return nullptr;
    const auto& found = pointwise_[operators_.calls[call].shape];
    return found ? &*found : nullptr;
  }
  [[nodiscard]] bool has_inputs(Row row) const { return operators_.of_kernel[row] != kNone; }
  [[nodiscard]] const GpuPeaks* peaks(Row row) const {
    return has_inputs(row) ? operators_.shapes[operators_.calls[operators_.of_kernel[row]].shape].peaks : nullptr;
  }
  [[nodiscard]] std::string_view operator_name(Row row) const {
    return facts_.trace.name(operators_.shapes[operators_.calls[operators_.of_kernel[row]].shape].name);
  }

  /// Whether a kernel is pointwise and bound by memory, as far as is known. Short ones mostly start and end.
  [[nodiscard]] bool is_member(Row row) const {
    if (facts_.kernel_classes[row] != KernelClass::elementwise || duration(row) <= kShortKernelNs) return false;
    if (k_.launch[row] == kNone || claimed_.contains(row)) return false;
    if (!has_inputs(row)) return true;
    const Pointwise* work = pointwise(row);
    if (work == nullptr) return false;
    const GpuPeaks* gpu = peaks(row);
    if (gpu == nullptr) return true;
    const double least_ns = work->bytes / gpu->bytes_per_second() * 1e9;
    return least_ns >= kMemoryBoundPercent / 100 * static_cast<double>(duration(row));
  }

  [[nodiscard]] size_t step_of(Row row) const {
    if (!facts_.steps || facts_.steps->launched.empty()) return 0;
    const int64_t launched = facts_.trace.api.start[k_.launch[row]];
    const auto& steps = facts_.steps->launched;
    return static_cast<size_t>(std::ranges::upper_bound(steps, launched, {}, &Span::first) - steps.begin());
  }

  /// Whether a kernel may read what the one before wrote: its tensors have as many elements and a type in common.
  [[nodiscard]] bool passes_on(Row before, Row row) const {
    if (!order_.directly_follows(before, row) || step_of(before) != step_of(row)) return false;
    if (has_inputs(before) != has_inputs(row)) return false;
    if (!has_inputs(row)) {
      const bool same_work = k_.name[before] == k_.name[row];  // a loop over tensors
      return !same_work && k_.grid[before] == k_.grid[row] && k_.block[before] == k_.block[row];
    }
    const Pointwise& wrote = *pointwise(before);
    const Pointwise& reads = *pointwise(row);
    // A loop over tensors of one size: each updates another.
    if (reads.in_place && operator_name(before) == operator_name(row)) return false;
    return wrote.elements == reads.elements &&
           std::ranges::any_of(wrote.word_bytes, [&](double bytes) { return reads.word_bytes.contains(bytes); });
  }

  void close(std::vector<Row>& kernels) {
    PointwiseChain chain{.kernels = std::exchange(kernels, {}), .bytes = {}};
    if (chain.kernels.size() < kShortestChain) return;
    for (const Row row : chain.kernels) chain.now_ns += duration(row);
    const Row first = chain.kernels.front();
    if (has_inputs(first)) chain.bytes = 0;
    if (peaks(first) != nullptr) {
      weigh(chain, *peaks(first));
    } else {
      // The shortest reads and writes a tensor each, at this part of the memory's peak or more.
      const Row shortest = *std::ranges::min_element(chain.kernels, {}, [&](Row row) { return duration(row); });
      chain.fused_ns = static_cast<int64_t>(kMemoryBoundPercent / 100 * static_cast<double>(duration(shortest)));
      if (chain.bytes) chain.bytes = passed_on(chain);
    }
    chains_.push_back(std::move(chain));
  }

  [[nodiscard]] double kept_bytes(const PointwiseChain& chain) const {
    return pointwise(chain.kernels.front())->read + pointwise(chain.kernels.back())->written;
  }
  [[nodiscard]] double passed_on(const PointwiseChain& chain) const {
    double bytes = 0;
    for (const Row row : chain.kernels) bytes += pointwise(row)->bytes;
    return bytes - kept_bytes(chain);
  }

  /// As one kernel: the first input is read and the last result written at the memory's peak, or the special function
  /// units take longer.
  void weigh(PointwiseChain& chain, const GpuPeaks& gpu) const {
    const Device& device = facts_.trace.devices[facts_.trace.streams[k_.stream[chain.kernels.front()]].device];
    double special = 0;
    for (const Row row : chain.kernels) special += pointwise(row)->special;
    const double rate = special_results_per_second(device, gpu);
    const double memory_ns = kept_bytes(chain) / gpu.bytes_per_second() * 1e9;
    const double special_ns = rate > 0 ? special / rate * 1e9 : 0;
    chain.bytes = passed_on(chain);
    chain.fused_ns = std::min(chain.now_ns, static_cast<int64_t>(std::max(memory_ns, special_ns)));
    chain.fused_ns = std::max(chain.fused_ns, kMaxEmptyKernelNs);
  }

  const Facts& facts_;
  const Kernels& k_;
  ShortKernels order_;
  const OperatorCalls& operators_;
  std::vector<std::optional<Pointwise>> pointwise_;  ///< of each shape
  std::set<Row> claimed_;
  std::vector<PointwiseChain> chains_;
};

}  // namespace

std::vector<PointwiseChain> pointwise_chains(const Facts& facts, const Claims& claims) {
  if (row_count(facts.trace.kernels) == 0 || facts.trace.kernels.launch.empty()) return {};
  return ChainFinder(facts, claims).find();
}

}  // namespace sonde
