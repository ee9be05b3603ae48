#include <algorithm>
#include <array>
#include <map>
#include <ranges>

#include <fmt/format.h>

#include "findings/evidence/places.h"
#include "findings/evidence/short_kernels.h"
#include "findings/rule.h"
#include "trace/columns.h"

/// Runs of short kernels of one name that follow each other on one stream, launched by one thread: work that one kernel
/// could do. The ceiling is what a replay (replay.h) saves in which each run is one launch and one kernel (fused()).
namespace sonde {
namespace tiny_kernels_finding {
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

/// A kernel of the name that most of the time in runs goes to.
Row most_of(const Kernels& k, const std::vector<KernelRun>& runs) {
  std::map<NameId, std::pair<int64_t, Row>> time;
  for (const KernelRun& run : runs) {
    const Row first = run.kernels.front();
    time.try_emplace(k.name[first], 0, first).first->second.first += run.end(k) - run.start(k);
  }
  return std::ranges::max_element(time, {}, [](const auto& t) { return t.second.first; })->second.second;
}

Finding finding_of(const Facts& facts, std::vector<KernelRun>& runs, int64_t ceiling) {
  const Kernels& k = facts.trace.kernels;
  size_t kernels = 0;
  Places places(facts);
  for (const KernelRun& run : runs) {
    kernels += run.kernels.size();
    for (const Row row : run.kernels) places.add(k.launch[row], k.end[row] - k.start[row]);
  }
  Finding finding{
      .id = "tiny_kernels",
      .arguments = {text_argument("place", places.most_in_words()), count_argument("count", kernels),
                    count_argument("runs", runs.size()), text_argument("kernel", facts.kernel_name(most_of(k, runs)))},
      .ceiling_ns = ceiling,
      .evidence = {}};
  std::ranges::stable_sort(runs, std::greater(), [&](const KernelRun& run) { return run.end(k) - run.start(k); });
  for (const KernelRun& run : runs | std::views::take(kMaxEvidence)) {
    const Row first = run.kernels.front();
    finding.evidence.push_back({run.start(k), run.end(k), facts.place_of(k.stream[first]),
                                std::string(facts.trace.name(k.name[first])), facts.kernel_name(first)});
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

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"tiny_kernels.says",
     "{place}, {count} short kernels follow each other in {runs:run} of one kernel name each. {kernel} takes the most "
     "time."},
    {"tiny_kernels.do",
     "Do the work of each run in one kernel: one call on the whole tensor instead of a loop over its parts, foreach or "
     "fused optimizers, or torch.compile. Or launch each run as one CUDA graph."},
    kNoKernelLaunches,
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"tiny_kernels"},
      .reports = "Short kernels of one name follow each other on one stream.",
      .when = fmt::format(
          "At least {} kernels, each of at most {} us. One thread launches them, each with a call that launches "
          "nothing else, and does nothing else on a GPU between them.",
          kShortestRun, kShortKernelNs / 1000),
      .not_when = "No conclusion is drawn without the launching calls.",
      .ceiling =
          fmt::format("Replay with one launch for each run. Its one kernel takes the sum of the durations. The time of "
                      "an empty kernel ({} us at most) counts only once.",
                      static_cast<double>(kMaxEmptyKernelNs) / 1000),
      .evidence = "The longest runs."}};
}

}  // namespace
}  // namespace tiny_kernels_finding

extern const Rule tiny_kernels_rule;
const Rule tiny_kernels_rule{
    .name = "tiny_kernels",
    .description = "runs of short kernels that one kernel could replace",
    .fields = kReplayFields | Fields{Field::ranges, Field::range_links},
    .checks = {Check::records_complete, Check::past_warm_up, Check::kernels_traced, Check::launches_free},
    .judge = &tiny_kernels_finding::judge,
    .texts = tiny_kernels_finding::kTexts,
    .docs = &tiny_kernels_finding::docs,
    .claims = ClaimUse::adds};

}  // namespace sonde
