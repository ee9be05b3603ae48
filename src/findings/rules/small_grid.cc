#include <array>
#include <set>

#include <fmt/format.h>

#include "findings/evidence/faster_kernels.h"
#include "trace/columns.h"

/// Kernels with fewer blocks than the GPU has SMs: the other SMs are idle. In the ceiling such a kernel's work is
/// spread over all SMs. Kernels that serialized_streams would run in parallel are left to it.
namespace sonde {
namespace small_grid_finding {
namespace {

/// Up to this a kernel only starts and ends, whatever its grid.
constexpr int64_t kEmptyKernelNs = 3'000;

void judge(const Facts& facts, Diagnosis& diagnosis) {
  const Kernels& k = facts.trace.kernels;
  std::vector<int64_t> sms_of_stream;  // 0 where not known
  for (StreamId stream = 0; stream < facts.trace.streams.size(); ++stream) {
    const auto limits = limits_of_stream(facts.trace, stream);
    sms_of_stream.push_back(limits ? limits->sm_count.value_or(0) : 0);
  }
  const std::set<Row> others(diagnosis.earlier->side_by_side.begin(), diagnosis.earlier->side_by_side.end());
  FasterKernels faster;
  for (Row row = 0; row < row_count(k); ++row) {
    const int64_t duration = k.end[row] - k.start[row];
    if (!facts.judged(k.start[row]) || duration <= kEmptyKernelNs ||
        facts.communication[row] != CommunicationKind::none)
      continue;
    const auto blocks = grid_blocks_of_row(facts.trace, row);
    const int64_t sms = sms_of_stream[k.stream[row]];
    if (!blocks || *blocks >= sms || others.contains(row)) continue;
    if (block_threads_of_row(facts.trace, row).value_or(kWarpThreads) < kWarpThreads) continue;  // small_block's
    faster.add(facts, row, duration * *blocks / sms);
  }
  add_faster_kernels(facts, "small_grid", faster, {}, diagnosis);
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"small_grid.says", "Kernels with fewer blocks than the GPU has SMs take {time}: {most}."},
    {"small_grid.do",
     "Launch more blocks: use smaller tiles per block, split-k for narrow matrix products, or a larger batch. Or run "
     "such kernels in parallel on several streams."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"small_grid"},
      .reports = "Kernels have fewer blocks than the GPU has SMs.",
      .when = fmt::format("A kernel takes more than {} us. All such kernels take at least {} % of the judged time.",
                          kEmptyKernelNs / 1000, kWorthPercent),
      .not_when =
          "Communication kernels, kernels that `serialized_streams_*` would run in parallel, kernels of `small_block`, "
          "and kernels with unknown grid or SM count do not count.",
      .ceiling = "Replay with the work of these kernels spread over all SMs.",
      .evidence = "The kernels that lose the most time."}};
}

}  // namespace
}  // namespace small_grid_finding

extern const Rule small_grid_rule;
const Rule small_grid_rule{.name = "small_grid",
                           .description = "kernels with fewer blocks than the GPU has SMs",
                           .fields = kFasterKernelsFields | launch_occupancy_fields(),
                           .checks = kFasterKernelsChecks,
                           .judge = &small_grid_finding::judge,
                           .texts = small_grid_finding::kTexts,
                           .docs = &small_grid_finding::docs,
                           .saves = Saves::gpu_work,
                           .claims = ClaimUse::reads};

}  // namespace sonde
