#include <algorithm>
#include <array>
#include <map>
#include <ranges>

#include <fmt/format.h>

#include "findings/evidence/faster_kernels.h"
#include "findings/evidence/most_of.h"
#include "findings/evidence/pointwise_chains.h"
#include "findings/evidence/short_kernels.h"
#include "trace/columns.h"

/// Chains of pointwise kernels that pass a tensor on through memory. The ceiling is what a replay (replay.h) saves in
/// which each chain is one launch and one kernel that reads the first input and writes the last result.
namespace sonde {
namespace pointwise_chain_finding {
namespace {

Change fused_chains(const Trace& trace, const std::vector<PointwiseChain>& chains) {
  const Kernels& k = trace.kernels;
  Change change;
  for (const PointwiseChain& chain : chains) {
    const Row first = k.launch[chain.kernels.front()];
    const Row last = k.launch[chain.kernels.back()];
    change.cuts.push_back({trace.api.thread[first], trace.api.end[first], trace.api.end[last]});
    change.kernels.push_back({chain.kernels.front(), chain.fused_ns});
  }
  return change;
}

/// The operators, else the kernels, that most of the chains' time goes to.
std::string most_operators(const Facts& facts, const std::vector<PointwiseChain>& chains) {
  const OperatorCalls& operators = facts.operators();
  const Kernels& k = facts.trace.kernels;
  std::map<std::string, int64_t> names;
  for (const PointwiseChain& chain : chains) {
    for (const Row row : chain.kernels) {
      const uint32_t call = operators.of_kernel[row];
      const std::string name = call == kNone
                                   ? facts.kernel_name(row)
                                   : std::string(facts.trace.name(operators.shapes[operators.calls[call].shape].name));
      names[name] += k.end[row] - k.start[row];
    }
  }
  return most_of(names);
}

Finding finding_of(const Facts& facts, std::vector<PointwiseChain>& chains, int64_t ceiling) {
  const Kernels& k = facts.trace.kernels;
  size_t kernels = 0;
  size_t longest = 0;
  int64_t now_ns = 0;
  MaybeAmount bytes = 0;
  for (const PointwiseChain& chain : chains) {
    kernels += chain.kernels.size();
    longest = std::max(longest, chain.kernels.size());
    for (const Row row : chain.kernels) now_ns += facts.shares.kernels[row];
    bytes = sum_of({bytes, chain.bytes});
  }
  Finding finding{.id = bytes ? "pointwise_chain" : "pointwise_chain_same_grid",
                  .arguments = {count_argument("count", kernels), count_argument("chains", chains.size()),
                                count_argument("longest", longest), duration_argument("time", facts.per_gpu(now_ns)),
                                text_argument("operators", most_operators(facts, chains))},
                  .ceiling_ns = ceiling,
                  .evidence = {}};
  if (bytes) finding.arguments.push_back(bytes_argument("bytes", *bytes));
  std::ranges::stable_sort(chains, std::greater(), &PointwiseChain::now_ns);
  for (const PointwiseChain& chain : chains | std::views::take(kMaxEvidence)) {
    const Row first = chain.kernels.front();
    finding.evidence.push_back({k.start[first], k.end[chain.kernels.back()], facts.place_of(k.stream[first]),
                                std::string(facts.trace.name(k.name[first])), facts.kernel_name(first)});
  }
  return finding;
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  std::vector<PointwiseChain> chains = pointwise_chains(facts, *diagnosis.earlier);
  if (chains.empty()) return;
  const int64_t ceiling = facts.saving_ns(fused_chains(facts.trace, chains));
  if (facts.percent_of_wall(ceiling) < kWorthPercent) return;
  for (const PointwiseChain& chain : chains) {
    diagnosis.claims.kernels.insert(diagnosis.claims.kernels.end(), chain.kernels.begin(), chain.kernels.end());
  }
  diagnosis.findings.push_back(finding_of(facts, chains, ceiling));
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"pointwise_chain.says",
     "{count} pointwise kernels pass a tensor on through memory in {chains:chain} of up to {longest}, for {time} in "
     "total: {operators}. {bytes} of reads and writes between them are not needed."},
    {"pointwise_chain.do",
     "Do each chain in one kernel, which reads its inputs once and writes its result once: torch.compile, a Triton "
     "kernel, or a fused operator."},
    {"pointwise_chain_same_grid.says",
     "{count} pointwise kernels of the same grid follow each other in {chains:chain} of up to {longest}, for {time} in "
     "total: {operators}. The profile has no input shapes, so the bytes that they pass on are unknown."},
    {"pointwise_chain_same_grid.do",
     "Do each chain in one kernel, which reads its inputs once and writes its result once: torch.compile, a Triton "
     "kernel, or a fused operator. Record with record_shapes=True to see what it saves."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"pointwise_chain", "pointwise_chain_same_grid"},
      .reports = "Pointwise kernels bound by memory follow each other on one stream, and each can read what the one "
                 "before wrote. The finding gives the bytes that need not pass through memory.",
      .when =
          fmt::format("At least {} kernels of more than {} us in one step, launched by one thread. Their operators' "
                      "tensors have the same number of elements and a type of the same size. Each runs at {:g} % of "
                      "the memory's peak or more. `_same_grid`: without shapes, kernels with elementwise names and "
                      "the same grid and block.",
                      kShortestChain, kShortKernelNs / 1000, kMemoryBoundPercent),
      .not_when = "Another kernel, a copy, a graph or a synchronization between them ends a chain. Kernels of "
                  "`unfused_attention`. An operator in place after the same one, which is a loop over tensors.",
      .ceiling = fmt::format(
          "Replay with one launch for each chain. Its one kernel reads the largest input of the first operator and "
          "writes the last result at the memory's peak, and takes no less than the special function units need. "
          "`_same_grid`: {:g} % of the shortest kernel.",
          kMemoryBoundPercent),
      .evidence = "The longest chains."}};
}

}  // namespace
}  // namespace pointwise_chain_finding

extern const Rule pointwise_chain_rule;
const Rule pointwise_chain_rule{.name = "pointwise_chain",
                                .description = "chains of pointwise kernels that pass a tensor on through memory",
                                .fields = kFasterKernelsFields | kOperatorFields,
                                .checks = kFasterKernelsChecks,
                                .judge = &pointwise_chain_finding::judge,
                                .texts = pointwise_chain_finding::kTexts,
                                .docs = &pointwise_chain_finding::docs,
                                .saves = Saves::gpu_work,
                                .claims = ClaimUse::both};

}  // namespace sonde
