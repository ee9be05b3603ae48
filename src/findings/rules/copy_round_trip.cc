#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "analyses/replay/replay.h"
#include "findings/evidence/call_rows.h"
#include "findings/evidence/copy_evidence.h"
#include "findings/evidence/copy_trips.h"
#include "findings/evidence/host_copies.h"
#include "findings/evidence/places.h"
#include "findings/rule.h"

/// A loop that copies its data to the GPU, computes for a short time and copies them back, each time in the same sizes:
/// the data could stay on the GPU. No recorder shows the copied data. But where the host has less time between two
/// iterations than memory takes to be written, it has written no new data. The ceiling is what a replay (replay.h)
/// saves without these copies; without those to the GPU alone if what comes back has other sizes: then it is a result,
/// which the host needs.
namespace sonde {
namespace copy_round_trip_finding {
namespace {

/// Bytes that a host can write in a nanosecond: two sockets with eight channels of DDR4-3200 each have 410 GB/s, an
/// NVIDIA Grace 500.
constexpr int64_t kHostBytesPerNs = 500;

/// Pinned memory is what other threads fill ahead.
bool is_unchanged(const Facts& facts, const CopyLoop& loop) {
  const auto pageable = [&](Row row) { return touches(facts.trace.copies, row, MemoryKind::pageable); };
  return std::ranges::all_of(loop.trips.front().up, pageable) &&
         loop.host_gap_ns * kHostBytesPerNs < loop.trips.front().up_bytes;
}

struct Sum {
  int64_t count = 0;
  int64_t up_bytes = 0;
  int64_t down_bytes = 0;
  int64_t copies_ns = 0;
  int64_t kernels_ns = 0;
  int64_t gap_ns = 0;
  std::vector<Row> copies;
  std::vector<Row> needless;  ///< of `copies`

  void add(const CopyLoop& loop) {
    gap_ns = std::max(gap_ns, loop.host_gap_ns);
    count = std::max(count, static_cast<int64_t>(loop.trips.size()));
    up_bytes = std::max(up_bytes, loop.trips.front().up_bytes);
    down_bytes = std::max(down_bytes, loop.trips.front().down_bytes);
    for (const CopyTrip& trip : loop.trips) {
      copies_ns += trip.up_ns + trip.down_ns;
      kernels_ns += trip.kernel_ns;
      copies.insert(copies.end(), trip.up.begin(), trip.up.end());
      copies.insert(copies.end(), trip.down.begin(), trip.down.end());
      needless.insert(needless.end(), trip.up.begin(), trip.up.end());
      if (loop.same_sizes) needless.insert(needless.end(), trip.down.begin(), trip.down.end());
    }
  }
};

/// The program in which the copies are not made.
int64_t saving_without(const Facts& facts, const std::vector<Row>& copies) {
  std::vector<Row> calls;
  for (const Row row : copies) calls.push_back(facts.trace.copies.launch[row]);
  std::ranges::sort(calls);
  Change change;
  change.cuts = cuts_of_calls(facts, calls);
  return facts.saving_ns(change);
}

std::string place_of(const Facts& facts, const std::vector<Row>& copies) {
  Places places(facts);
  for (const Row row : copies) places.add(facts.trace.copies.launch[row], facts.trace.copies.bytes[row]);
  return places.most_in_words();
}

void add_finding(const Facts& facts, std::string_view id, const Sum& sum, Diagnosis& diagnosis) {
  if (sum.copies.empty()) return;
  const int64_t ceiling = saving_without(facts, sum.needless);
  if (facts.percent_of_wall(ceiling) < kWorthPercent) return;
  diagnosis.findings.push_back(
      {.id = std::string(id),
       .arguments = {text_argument("place", place_of(facts, sum.copies)), count_argument("count", sum.count),
                     bytes_argument("up", sum.up_bytes), bytes_argument("down", sum.down_bytes),
                     duration_argument("time", sum.copies_ns), duration_argument("work", sum.kernels_ns),
                     duration_argument("gap", sum.gap_ns)},
       .ceiling_ns = ceiling,
       .evidence = evidence_of_copies(facts, sum.copies)});
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  Sum unchanged;
  Sum unknown;
  for (const CopyLoop& loop : copy_loops(facts)) (is_unchanged(facts, loop) ? unchanged : unknown).add(loop);
  add_finding(facts, "copy_round_trip", unchanged, diagnosis);
  add_finding(facts, "copy_round_trip_if", unknown, diagnosis);
}

constexpr std::string_view kDo =
    "Keep the data on the GPU: copy them there before the loop, and copy the result back after it (OpenMP: target data "
    "around the loop). If the host needs a part of the result in each iteration, copy only that part. If each "
    "iteration has new input, copy it ahead on a second stream.";

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"copy_round_trip.says",
     "{place}, {count} iterations copy {up} to the GPU and {down} back, in the same sizes each time. The copies take "
     "{time}, the kernels between them {work}. The host has {gap} between two iterations, which is too short to write "
     "new data."},
    {"copy_round_trip.do", kDo},
    {"copy_round_trip_if.says",
     "{place}, {count} iterations copy {up} to the GPU and {down} back, in the same sizes each time. The copies take "
     "{time}, the kernels between them {work}. If the host does not change the data, they can stay on the GPU."},
    {"copy_round_trip_if.do", kDo},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"copy_round_trip", "copy_round_trip_if"},
      .reports = fmt::format("Each iteration copies its data to the GPU, computes for a short time and copies them "
                             "back. `_if`: the host has enough time between two iterations to write new data (at "
                             "{} GB/s), or the memory is not known to be pageable, and another thread may fill it.",
                             kHostBytesPerNs),
      .when = copy_loops_in_words() + ".",
      .not_when = "Loops in which the host loads data between the iterations, and copies whose calls are not in the "
                  "profile, do not count.",
      .ceiling = "Replay without these copies. If what comes back has other sizes than what goes to the GPU, it is a "
                 "result, and only the copies to the GPU are left out.",
      .evidence = "The longest copies."}};
}

}  // namespace
}  // namespace copy_round_trip_finding

extern const Rule copy_round_trip_rule;
const Rule copy_round_trip_rule{.name = "copy_round_trip",
                                .description = "data that go to the GPU and back in each iteration",
                                .fields = kReplayFields | Fields{Field::ranges, Field::range_links},
                                .checks = kLoopChecks,
                                .judge = &copy_round_trip_finding::judge,
                                .texts = copy_round_trip_finding::kTexts,
                                .docs = &copy_round_trip_finding::docs,
                                .saves = Saves::gpu_work};

}  // namespace sonde
