#include <algorithm>
#include <map>
#include <ranges>

#include "findings/evidence/short_kernels.h"
#include "findings/rule.h"
#include "trace/columns.h"

/// Runs of short kernels of one name that follow each other on one stream, launched by one thread: work that one kernel
/// could do. The ceiling is what a replay saves (replay.h) in which each run is one launch, and one kernel that takes
/// as long as the work of all of them: their durations less what each takes for nothing, and once that again.
namespace sonde {
namespace {

/// Fewer are no chain: residual, bias and norm kernels come in twos and threes.
constexpr size_t kShortestRun = 8;
class Runs {
 public:
  explicit Runs(const Facts& facts) : k_(facts.trace.kernels), short_(facts) {
    std::map<StreamId, KernelRun> open;
    for (Row row = 0; row < row_count(k_); ++row) {
      if (!facts.judged(k_.start[row])) continue;
      KernelRun& run = open[k_.stream[row]];
      if (!run.kernels.empty() && !follows(run.kernels.back(), row)) close(run);
      if (short_.is_short(row)) run.kernels.push_back(row);
    }
    for (auto& [stream, run] : open) close(run);
  }
  [[nodiscard]] std::vector<KernelRun>& all() { return runs_; }

 private:
  [[nodiscard]] bool follows(Row before, Row row) const {
    return k_.name[row] == k_.name[before] && short_.follows(before, row);
  }
  void close(KernelRun& run) {
    if (run.kernels.size() >= kShortestRun) runs_.push_back(run);
    run.kernels.clear();
  }

  const Kernels& k_;
  ShortKernels short_;
  std::vector<KernelRun> runs_;
};

/// The name that most of the time in runs goes to.
NameId most_of(const Kernels& k, const std::vector<KernelRun>& runs) {
  std::map<NameId, int64_t> time;
  for (const KernelRun& run : runs) time[k.name[run.kernels.front()]] += run.end(k) - run.start(k);
  return std::ranges::max_element(time, {}, [](const auto& t) { return t.second; })->first;
}

Finding finding_of(const Facts& facts, std::vector<KernelRun>& runs, int64_t ceiling) {
  const Kernels& k = facts.trace.kernels;
  size_t kernels = 0;
  for (const KernelRun& run : runs) kernels += run.kernels.size();
  Finding finding{.id = "tiny_kernels",
                  .arguments = {{"count", Unit::none, static_cast<double>(kernels), {}},
                                {"runs", Unit::none, static_cast<double>(runs.size()), {}},
                                {"kernel", Unit::none, 0, std::string(facts.trace.name(most_of(k, runs)))}},
                  .ceiling_ns = ceiling,
                  .evidence = {}};
  std::ranges::stable_sort(runs, std::greater(), [&](const KernelRun& run) { return run.end(k) - run.start(k); });
  for (const KernelRun& run : runs | std::views::take(kMostEvidence)) {
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
  std::vector<KernelRun>& runs = found.all();
  if (runs.empty()) return;
  const Change change = fused(facts.trace, runs);
  const int64_t ceiling = facts.saving_ns(change);
  if (facts.percent_of_wall(ceiling) < kWorthPercent) return;
  for (const KernelRun& run : runs) {
    diagnosis.claims.kernels.insert(diagnosis.claims.kernels.end(), run.kernels.begin(), run.kernels.end());
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
