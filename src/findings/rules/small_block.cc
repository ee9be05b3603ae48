#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "findings/evidence/faster_kernels.h"
#include "trace/columns.h"

/// Kernels whose blocks have fewer threads than a warp: the other lanes of each warp are idle. In the ceiling the work
/// of such a kernel is spread over whole warps, and over all SMs if it has fewer blocks than the GPU has SMs.
namespace sonde {
namespace small_block_finding {
namespace {

/// Up to this a kernel only starts and ends.
constexpr int64_t kEmptyKernelNs = 3'000;

int64_t full_warps_ns(const Facts& facts, Row row, int64_t threads) {
  const Kernels& k = facts.trace.kernels;
  const auto limits = limits_of_stream(facts.trace, k.stream[row]);
  const auto sms = static_cast<double>(limits ? limits->sm_count.value_or(1) : 1);
  const auto blocks = static_cast<double>(grid_blocks_of_row(facts.trace, row).value_or(1));
  const double part = static_cast<double>(threads) / static_cast<double>(kWarpThreads) * std::min(1.0, blocks / sms);
  return static_cast<int64_t>(static_cast<double>(k.end[row] - k.start[row]) * part);
}

/// The size of the blocks that take the most time.
int64_t most_threads(const Facts& facts, const FasterKernels& faster) {
  std::map<int64_t, int64_t> time_by_size;
  for (const Change::Resized& r : faster.kernels) {
    time_by_size[block_threads_of_row(facts.trace, r.row).value_or(0)] += facts.shares.kernels[r.row];
  }
  const auto most = std::ranges::max_element(time_by_size, {}, [](const auto& size) { return size.second; });
  return most == time_by_size.end() ? 0 : most->first;
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  const Kernels& k = facts.trace.kernels;
  FasterKernels faster;
  for (Row row = 0; row < row_count(k); ++row) {
    if (!facts.judged(k.start[row]) || k.end[row] - k.start[row] <= kEmptyKernelNs) continue;
    if (facts.communication[row] != CommunicationKind::none) continue;
    const auto threads = block_threads_of_row(facts.trace, row);
    if (!threads || *threads >= kWarpThreads) continue;
    faster.add(facts, row, full_warps_ns(facts, row, *threads));
  }
  if (faster.kernels.empty()) return;
  add_faster_kernels(facts, "small_block", faster, {count_argument("threads", most_threads(facts, faster))}, diagnosis);
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"small_block.says",
     "Kernels with fewer threads in a block than a warp has (most time: {threads} of 32) take {time}: {most}."},
    {"small_block.do",
     "Give each thread its own element: launch blocks of 128 to 256 threads, and as many blocks as the data need "
     "(index blockIdx.x * blockDim.x + threadIdx.x). A loop in one thread uses one lane of one SM."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"small_block"},
      .reports = fmt::format("Kernels have blocks of fewer than {} threads.", kWarpThreads),
      .when = fmt::format("A kernel takes more than {} us. All such kernels take at least {} % of the judged time.",
                          kEmptyKernelNs / 1000, kWorthPercent),
      .not_when = "Communication kernels do not count.",
      .ceiling = "Replay with the work of these kernels spread over whole warps and, where they have fewer blocks than "
                 "the GPU has SMs, over all SMs.",
      .evidence = "The kernels that lose the most time."}};
}

}  // namespace
}  // namespace small_block_finding

extern const Rule small_block_rule;
const Rule small_block_rule{.name = "small_block",
                            .description = "kernels with fewer threads in a block than a warp has",
                            .fields = kFasterKernelsFields | launch_occupancy_fields(),
                            .checks = kFasterKernelsChecks,
                            .judge = &small_block_finding::judge,
                            .texts = small_block_finding::kTexts,
                            .docs = &small_block_finding::docs,
                            .saves = Saves::gpu_work};

}  // namespace sonde
