#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "findings/evidence/copy_evidence.h"
#include "findings/evidence/copy_trips.h"
#include "findings/rule.h"

/// Copies to the GPU, kernels and copies to the host that run one after the other, iteration by iteration, though a GPU
/// has a copy engine for each direction. The ceiling is their time less that of what takes longest: in a pipeline the
/// others run beside it.
namespace sonde {
namespace serial_directions_finding {
namespace {

struct Sum {
  int64_t count = 0;
  int64_t up_ns = 0;
  int64_t down_ns = 0;
  int64_t kernels_ns = 0;
  std::vector<Row> copies;

  void add(const CopyLoop& loop) {
    count += static_cast<int64_t>(loop.trips.size());
    for (const CopyTrip& trip : loop.trips) {
      up_ns += trip.up_ns;
      down_ns += trip.down_ns;
      kernels_ns += trip.kernel_ns;
      copies.insert(copies.end(), trip.up.begin(), trip.up.end());
      copies.insert(copies.end(), trip.down.begin(), trip.down.end());
    }
  }
  [[nodiscard]] int64_t saved_ns() const {
    return up_ns + down_ns + kernels_ns - std::max({up_ns, down_ns, kernels_ns});
  }
};

bool has_one_engine(const Facts& facts, uint32_t gpu) {
  const DeviceId device = facts.gpus.gpus[gpu].device;
  return device != kNone && facts.trace.devices[device].copy_engines.value_or(2) < 2;
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  Sum sum;
  for (const CopyLoop& loop : copy_loops(facts)) {
    // What comes back goes up again: an iteration needs the one before.
    if (loop.same_sizes || has_one_engine(facts, loop.trips.front().gpu)) continue;
    sum.add(loop);
  }
  const int64_t ceiling = facts.per_gpu(sum.saved_ns());
  if (facts.percent_of_wall(ceiling) < kWorthPercent) return;
  diagnosis.claims.copies.insert(diagnosis.claims.copies.end(), sum.copies.begin(), sum.copies.end());
  diagnosis.findings.push_back(
      {.id = "serial_directions",
       .arguments = {count_argument("count", sum.count), duration_argument("up", facts.per_gpu(sum.up_ns)),
                     duration_argument("work", facts.per_gpu(sum.kernels_ns)),
                     duration_argument("down", facts.per_gpu(sum.down_ns))},
       .ceiling_ns = ceiling,
       .evidence = evidence_of_copies(facts, std::move(sum.copies))});
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"serial_directions.says",
     "In {count} iterations, copies to the GPU ({up}), kernels ({work}) and copies to the host ({down}) run one after "
     "the other. The GPU has a copy engine for each direction, and both can work while kernels run."},
    {"serial_directions.do",
     "Use two or more streams, pinned memory (cudaMallocHost) and cudaMemcpyAsync: copy the next part to the GPU while "
     "this one computes and the one before goes to the host."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"serial_directions"},
      .reports = "Copies to the GPU, kernels and copies to the host run one after the other in each iteration.",
      .when = copy_loops_in_words() + ".",
      .not_when =
          "Loops in which the sizes that come back are the sizes that go to the GPU do not count: there each iteration "
          "needs the result of the one before (`copy_round_trip`). Nor do GPUs with one copy engine.",
      .ceiling = "The time of copies and kernels in these iterations less that of the direction, or of the kernels, "
                 "that takes longest.",
      .evidence = "The longest copies."}};
}

}  // namespace
}  // namespace serial_directions_finding

extern const Rule serial_directions_rule;
const Rule serial_directions_rule{.name = "serial_directions",
                                  .description = "copies in both directions that run one after the other",
                                  .fields = kReplayFields | Fields{Field::ranges, Field::range_links},
                                  .checks = kLoopChecks,
                                  .judge = &serial_directions_finding::judge,
                                  .texts = serial_directions_finding::kTexts,
                                  .docs = &serial_directions_finding::docs,
                                  .saves = Saves::gpu_work,
                                  .claims = ClaimUse::adds};

}  // namespace sonde
