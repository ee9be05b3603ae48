#include <algorithm>
#include <map>

#include "analyses/gpus/operation_names.h"
#include "analyses/replay/replay.h"
#include "findings/evidence/host_copies.h"
#include "findings/evidence/stream_breaks.h"
#include "findings/rule.h"
#include "trace/columns.h"

/// Runs of small copies between host and GPU that follow each other on one stream, put there by one thread: what one
/// copy could do. The ceiling is what a replay (replay.h) saves in which each run is one call, and one copy that takes
/// what they take together, less what each takes for nothing, and once that.
namespace sonde {
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

 private:
  /// A call that returned only behind its copy is waited for, and is another rule's.
  [[nodiscard]] bool is_small(Row row) const {
    const Row call = c_.launch.empty() ? kNone : c_.launch[row];
    return crosses_link(c_, row) && c_.bytes[row] != kUnknown && c_.bytes[row] <= kSmallBytes && call != kNone &&
           facts_.trace.api.end[call] < c_.end[row];
  }
  [[nodiscard]] bool follows(Row before, Row row) const {
    const Calls& api = facts_.trace.api;
    if (!is_small(row) || c_.kind[row] != c_.kind[before]) return false;
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
  StreamBreaks breaks_;
  std::vector<Run> runs_;
};

/// A copy for nothing takes as long as the shortest at most.
int64_t joined_ns(const Copies& c, const Run& run) {
  const auto length = [&](Row row) { return c.end[row] - c.start[row]; };
  const int64_t nothing = length(*std::ranges::min_element(run, {}, length));
  constexpr int64_t kMostForNothingNs = 1'400;  // what copies of a few bytes take over PCIe 4 and 5
  const int64_t each = std::min(nothing, kMostForNothingNs);
  int64_t joined = each;
  for (const Row row : run) joined += length(row) - each;
  return joined;
}

Change joined(const Trace& trace, const std::vector<Run>& runs) {
  Change change;
  for (const Run& run : runs) {
    const Row first = trace.copies.launch[run.front()];
    const Row last = trace.copies.launch[run.back()];
    change.cuts.push_back({trace.api.thread[first], trace.api.end[first], trace.api.end[last]});
    change.copies.push_back({run.front(), joined_ns(trace.copies, run)});
  }
  return change;
}

Finding finding_of(const Facts& facts, std::vector<Run>& runs, int64_t ceiling) {
  const Copies& c = facts.trace.copies;
  size_t count = 0;
  int64_t bytes = 0;
  for (const Run& run : runs) {
    count += run.size();
    for (const Row row : run) bytes += c.bytes[row];
  }
  Finding finding{.id = "small_copies",
                  .arguments = {{"count", Unit::none, static_cast<double>(count), {}},
                                {"runs", Unit::none, static_cast<double>(runs.size()), {}},
                                {"bytes", Unit::bytes, static_cast<double>(bytes) / static_cast<double>(count), {}}},
                  .ceiling_ns = ceiling,
                  .evidence = {}};
  std::ranges::stable_sort(runs, std::greater(),
                           [&](const Run& run) { return c.end[run.back()] - c.start[run.front()]; });
  runs.resize(std::min(runs.size(), kMostEvidence));
  for (const Run& run : runs) {
    finding.evidence.push_back({c.start[run.front()], c.end[run.back()],
                                facts.gpus.gpus[facts.gpus.of_stream[c.stream[run.front()]]].place,
                                std::string(copy_operation(c.kind[run.front()]))});
  }
  return finding;
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  const Copies& c = facts.trace.copies;
  Runs found(facts);
  std::vector<Run>& runs = found.all();
  if (runs.empty()) return;
  const int64_t ceiling = facts.saving_ns(joined(facts.trace, runs));
  if (facts.percent_of_wall(ceiling) < kWorthPercent) return;
  for (const Run& run : runs) {
    diagnosis.claims.idle[facts.gpus.of_stream[c.stream[run.front()]]].emplace_back(c.start[run.front()],
                                                                                    c.end[run.back()]);
  }
  diagnosis.findings.push_back(finding_of(facts, runs, ceiling));
}

}  // namespace

extern const Rule small_copies_rule;
const Rule small_copies_rule{"small_copies", "runs of small copies that one copy could do", kReplayFields, kLoopChecks,
                             &judge};

}  // namespace sonde
