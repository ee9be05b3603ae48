#include <algorithm>
#include <map>
#include <ranges>

#include "analyses/replay.h"
#include "findings/rule.h"
#include "findings/stream_breaks.h"
#include "trace/columns.h"

/// Runs of short kernels of one name that follow each other on one stream, launched by one thread: work that one kernel
/// could do. The ceiling is what a replay saves (replay.h) in which each run is one launch, and one kernel that takes
/// as long as the work of all of them: their durations less what each takes for nothing, and once that again.
namespace sonde {
namespace {

constexpr double kLeastPercent = 1;
constexpr size_t kMostEvidence = 10;
/// Up to this a kernel is short: as long as putting the next one on the stream takes (5 us of host time an operator,
/// and more in Python).
constexpr int64_t kShortNs = 10'000;
/// Fewer are no chain: residual, bias and norm kernels come in twos and threes.
constexpr size_t kShortestRun = 8;
/// What a kernel without work takes as CUPTI records it, some 1 to 2 us on the GPUs of today: taken from the run as the
/// shortest kernel in it, and as no more than this.
constexpr int64_t kMostForNothingNs = 1'700;

struct Run {
  std::vector<Row> kernels;
  [[nodiscard]] int64_t start(const Kernels& k) const { return k.start[kernels.front()]; }
  [[nodiscard]] int64_t end(const Kernels& k) const { return k.end[kernels.back()]; }
};

class Runs {
 public:
  explicit Runs(const Facts& facts)
      : facts_(facts),
        k_(facts.trace.kernels),
        breaks_({&facts.trace.copies, &facts.trace.sets, &facts.trace.graph_launches}) {
    std::map<StreamId, Run> open;
    for (Row row = 0; row < row_count(k_); ++row) {
      if (!facts.judged(k_.start[row])) continue;
      Run& run = open[k_.stream[row]];
      if (!run.kernels.empty() && !follows(run.kernels.back(), row)) close(run);
      if (is_short(row)) run.kernels.push_back(row);
    }
    for (auto& [stream, run] : open) close(run);
  }
  [[nodiscard]] std::vector<Run>& all() { return runs_; }

 private:
  [[nodiscard]] bool is_short(Row row) const {
    const Row launch = k_.launch[row];
    return launch != kNone && facts_.api_kinds[launch] == ApiKind::launch && k_.end[row] - k_.start[row] <= kShortNs;
  }
  [[nodiscard]] bool follows(Row before, Row row) const {
    const Calls& api = facts_.trace.api;
    if (!is_short(row) || k_.name[row] != k_.name[before]) return false;
    const Row launch = k_.launch[row];
    const Row launch_before = k_.launch[before];
    return launch != launch_before && api.thread[launch] == api.thread[launch_before] &&
           api.end[launch_before] <= api.start[launch] &&
           !breaks_.any_between(k_.stream[row], k_.start[before], k_.start[row]);
  }
  void close(Run& run) {
    if (run.kernels.size() >= kShortestRun) runs_.push_back(run);
    run.kernels.clear();
  }

  const Facts& facts_;
  const Kernels& k_;
  StreamBreaks breaks_;
  std::vector<Run> runs_;
};

int64_t fused_ns(const Kernels& k, const Run& run) {
  int64_t nothing = kMostForNothingNs;
  for (const Row row : run.kernels) nothing = std::min(nothing, k.end[row] - k.start[row]);
  int64_t fused = nothing;
  for (const Row row : run.kernels) fused += k.end[row] - k.start[row] - nothing;
  return fused;
}

Change fused(const Trace& trace, const std::vector<Run>& runs) {
  const Kernels& k = trace.kernels;
  Change change;
  for (const Run& run : runs) {
    const Row first = k.launch[run.kernels.front()];
    const Row last = k.launch[run.kernels.back()];
    change.cuts.push_back({trace.api.thread[first], trace.api.end[first], trace.api.end[last]});
    change.kernels.push_back({run.kernels.front(), fused_ns(k, run)});
  }
  return change;
}

/// The name that most of the time in runs goes to.
NameId most_of(const Kernels& k, const std::vector<Run>& runs) {
  std::map<NameId, int64_t> time;
  for (const Run& run : runs) time[k.name[run.kernels.front()]] += run.end(k) - run.start(k);
  return std::ranges::max_element(time, {}, [](const auto& t) { return t.second; })->first;
}

Finding finding_of(const Facts& facts, std::vector<Run>& runs, int64_t ceiling) {
  const Kernels& k = facts.trace.kernels;
  size_t kernels = 0;
  for (const Run& run : runs) kernels += run.kernels.size();
  Finding finding{.id = "tiny_kernels",
                  .arguments = {{"count", Unit::none, static_cast<double>(kernels), {}},
                                {"runs", Unit::none, static_cast<double>(runs.size()), {}},
                                {"kernel", Unit::none, 0, std::string(facts.trace.name(most_of(k, runs)))}},
                  .ceiling_ns = ceiling,
                  .evidence = {}};
  std::ranges::stable_sort(runs, std::greater(), [&](const Run& run) { return run.end(k) - run.start(k); });
  for (const Run& run : runs | std::views::take(kMostEvidence)) {
    const Row first = run.kernels.front();
    finding.evidence.push_back({run.start(k), run.end(k), facts.gpus.gpus[facts.gpus.of_stream[k.stream[first]]].place,
                                std::string(facts.trace.name(k.name[first]))});
  }
  return finding;
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  const Kernels& k = facts.trace.kernels;
  if (row_count(k) == 0) return;
  if (std::ranges::all_of(k.launch, [](Row launch) { return launch == kNone; })) {
    diagnosis.abstentions.push_back({"tiny_kernels", "tiny_kernels.no_launches", {}});
    return;
  }
  Runs found(facts);
  std::vector<Run>& runs = found.all();
  if (runs.empty()) return;
  const Change change = fused(facts.trace, runs);
  const int64_t ceiling = replay_saving_ns(facts.trace, facts.gpus, facts.api_kinds, facts.extent, change);
  if (facts.percent_of_wall(ceiling) < kLeastPercent) return;
  for (const Run& run : runs) {
    diagnosis.claims.idle[facts.gpus.of_stream[k.stream[run.kernels.front()]]].emplace_back(run.start(k), run.end(k));
  }
  diagnosis.findings.push_back(finding_of(facts, runs, ceiling));
}

}  // namespace

extern const Rule tiny_kernels_rule;
const Rule tiny_kernels_rule{
    "tiny_kernels",
    "runs of short kernels that one kernel could do",
    kReplayFields,
    {Check::records_complete, Check::past_warm_up, Check::kernels_traced, Check::launches_free},
    &judge};

}  // namespace sonde
