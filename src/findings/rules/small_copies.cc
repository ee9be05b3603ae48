#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "analyses/gpus/operation_names.h"
#include "analyses/replay/replay.h"
#include "findings/evidence/host_copies.h"
#include "findings/evidence/places.h"
#include "findings/evidence/step_syncs.h"
#include "findings/evidence/stream_breaks.h"
#include "findings/rule.h"
#include "trace/columns.h"

/// Runs of small copies between host and GPU that follow each other on one stream, made by one thread: one copy could
/// do the same. The ceiling is what a replay (replay.h) saves in which each run is one call, and one copy that takes as
/// long as all of them. The time of an empty copy counts once. PyTorch waits behind each copy from pageable memory:
/// these waits go with the copies. A copy to the host with a wait behind it delivers a result, which is sync_in_loop's.
namespace sonde {
namespace small_copies_finding {
namespace {

/// Up to this a copy takes as long as its call, some 5 us, even over PCIe 3.
constexpr int64_t kSmallBytes = 64 << 10;
constexpr size_t kShortestRun = 8;

using Run = std::vector<Row>;

class Runs {
 public:
  explicit Runs(const Facts& facts)
      : facts_(facts),
        c_(facts.trace.copies),
        syncs_behind_(syncs_behind(facts)),
        breaks_({&facts.trace.kernels, &facts.trace.sets, &facts.trace.graph_launches}) {
    std::map<StreamId, Run> open;
    for (Row row = 0; row < row_count(c_); ++row) {
      if (!facts.judged(c_.start[row])) continue;
      Run& run = open[c_.stream[row]];
      if (!run.empty() && !follows(run.back(), row)) close(run);
      if (is_small(row)) run.push_back(row);
    }
    for (auto& [stream, run] : open) close(run);
  }
  [[nodiscard]] std::vector<Run>& all() { return runs_; }
  /// The wait directly behind a copy from pageable memory to the GPU; kNone without one.
  [[nodiscard]] Row wait_behind(Row copy) const {
    const bool to_gpu = c_.kind[copy] == static_cast<uint8_t>(CopyKind::host_to_device);
    return to_gpu && touches(c_, copy, MemoryKind::pageable) ? syncs_behind_[c_.launch[copy]] : kNone;
  }

 private:
  /// A call that returned only after its copy is a wait, which is another rule's.
  [[nodiscard]] bool is_small(Row row) const {
    const Row call = c_.launch.empty() ? kNone : c_.launch[row];
    return crosses_link(c_, row) && c_.bytes[row] != kUnknown && c_.bytes[row] <= kSmallBytes && call != kNone &&
           facts_.trace.api.end[call] < c_.end[row];
  }
  [[nodiscard]] bool is_read_at_once(Row copy) const {
    return c_.kind[copy] == static_cast<uint8_t>(CopyKind::device_to_host) && syncs_behind_[c_.launch[copy]] != kNone;
  }
  [[nodiscard]] bool follows(Row before, Row row) const {
    const Calls& api = facts_.trace.api;
    if (!is_small(row) || c_.kind[row] != c_.kind[before] || is_read_at_once(before)) return false;
    const Row call = c_.launch[row];
    const Row call_before = c_.launch[before];
    return api.thread[call] == api.thread[call_before] && api.end[call_before] <= api.start[call] &&
           !breaks_.any_between(c_.stream[row], c_.start[before], c_.start[row]);
  }
  void close(Run& run) {
    if (run.size() >= kShortestRun) runs_.push_back(run);
    run.clear();
  }

  const Facts& facts_;
  const Copies& c_;
  Ids syncs_behind_;
  StreamBreaks breaks_;
  std::vector<Run> runs_;
};

/// What copies of a few bytes take over PCIe 4 and 5.
constexpr int64_t kMaxEmptyCopyNs = 1'400;

/// An empty copy takes as long as the shortest one at most.
int64_t joined_ns(const Copies& c, const Run& run) {
  const auto length = [&](Row row) { return c.end[row] - c.start[row]; };
  const int64_t shortest = length(*std::ranges::min_element(run, {}, length));
  const int64_t each = std::min(shortest, kMaxEmptyCopyNs);
  int64_t joined = each;
  for (const Row row : run) joined += length(row) - each;
  return joined;
}

Change joined(const Trace& trace, Runs& runs) {
  Change change;
  for (const Run& run : runs.all()) {
    const Row first = trace.copies.launch[run.front()];
    const Row wait = runs.wait_behind(run.back());
    const Row last = wait == kNone ? trace.copies.launch[run.back()] : wait;
    change.cuts.push_back({trace.api.thread[first], trace.api.end[first], trace.api.end[last]});
    change.copies.push_back({run.front(), joined_ns(trace.copies, run)});
  }
  return change;
}

Finding finding_of(const Facts& facts, std::vector<Run>& runs, int64_t ceiling) {
  const Copies& c = facts.trace.copies;
  size_t count = 0;
  int64_t bytes = 0;
  Places places(facts);
  for (const Run& run : runs) {
    count += run.size();
    for (const Row row : run) {
      bytes += c.bytes[row];
      places.add(c.launch[row], 1);
    }
  }
  Finding finding{.id = "small_copies",
                  .arguments = {text_argument("place", places.most_in_words()), count_argument("count", count),
                                count_argument("runs", runs.size()),
                                bytes_argument("bytes", static_cast<double>(bytes) / static_cast<double>(count))},
                  .ceiling_ns = ceiling,
                  .evidence = {}};
  std::ranges::stable_sort(runs, std::greater(),
                           [&](const Run& run) { return c.end[run.back()] - c.start[run.front()]; });
  runs.resize(std::min(runs.size(), kMaxEvidence));
  for (const Run& run : runs) {
    finding.evidence.push_back({c.start[run.front()], c.end[run.back()], facts.place_of(c.stream[run.front()]),
                                std::string(copy_operation(c.kind[run.front()]))});
  }
  return finding;
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  const Copies& c = facts.trace.copies;
  Runs found(facts);
  std::vector<Run>& runs = found.all();
  if (runs.empty()) return;
  const int64_t ceiling = facts.saving_ns(joined(facts.trace, found));
  if (facts.percent_of_wall(ceiling) < kWorthPercent) return;
  for (const Run& run : runs) {
    for (const Row row : run) {
      if (const Row wait = found.wait_behind(row); wait != kNone) diagnosis.claims.waits.push_back(wait);
    }
    diagnosis.claims.idle[facts.gpus.of_stream[c.stream[run.front()]]].emplace_back(c.start[run.front()],
                                                                                    c.end[run.back()]);
  }
  diagnosis.findings.push_back(finding_of(facts, runs, ceiling));
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"small_copies.says",
     "{place}, {count} small copies between host and GPU follow each other in {runs:run}, {bytes} each on average."},
    {"small_copies.do",
     "Pack the values into one buffer and copy it once, or create them on the GPU. In PyTorch, call torch.cat or "
     "torch.stack before .to(), or use one tensor for the whole batch."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"small_copies"},
      .reports = "Small copies of one direction follow each other on one stream.",
      .when = fmt::format(
          "At least {} copies of at most {} KiB each, made by one thread, and no call of a copy waits for it.",
          kShortestRun, kSmallBytes >> 10),
      .not_when = "Copies to the host with a wait behind each deliver results: `sync_in_loop`.",
      .ceiling = fmt::format("Replay with one call for each run, without the waits behind its copies. Its one copy "
                             "takes the sum of the durations. The time of an "
                             "empty copy ({} us at most) counts only once.",
                             static_cast<double>(kMaxEmptyCopyNs) / 1000),
      .evidence = "The longest runs."}};
}

}  // namespace
}  // namespace small_copies_finding

extern const Rule small_copies_rule;
const Rule small_copies_rule{.name = "small_copies",
                             .description = "runs of small copies that one copy could replace",
                             .fields = kReplayFields | Fields{Field::ranges, Field::range_links},
                             .checks = kLoopChecks,
                             .judge = &small_copies_finding::judge,
                             .texts = small_copies_finding::kTexts,
                             .docs = &small_copies_finding::docs,
                             .saves = Saves::gpu_work,
                             .claims = ClaimUse::adds};

}  // namespace sonde
