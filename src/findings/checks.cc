#include "findings/checks.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "analyses/calls/launching_calls.h"
#include "trace/columns.h"

namespace sonde {
namespace {

constexpr double kMaxLostShare = 0.01;
/// Fewer are calls that failed, or whose kernels ran after the recording ended.
constexpr int64_t kMinLostLaunches = 10;
constexpr double kMaxShareInWholeGraphs = 0.1;
constexpr double kMinShareOfBlockingLaunches = 0.95;
constexpr int64_t kMinJudgedLaunches = 20;
constexpr size_t kMinSteadySteps = 3;

/// Times in which a thread captures what it launches into a graph.
class Captures {
 public:
  explicit Captures(const Trace& trace) {
    const Calls& api = trace.api;
    std::map<ThreadId, int64_t> open;
    for (Row row = 0; row < row_count(api); ++row) {
      const std::string_view name = trace.name(api.name[row]);
      if (name.contains("StreamBeginCapture")) open[api.thread[row]] = api.start[row];
      const auto began = name.contains("StreamEndCapture") ? open.find(api.thread[row]) : open.end();
      if (began == open.end()) continue;
      of_thread_[api.thread[row]].emplace_back(began->second, api.end[row]);
      open.erase(began);
    }
  }
  [[nodiscard]] bool holds(ThreadId thread, int64_t time) const {
    const auto spans = of_thread_.find(thread);
    if (spans == of_thread_.end()) return false;
    const auto next = std::ranges::upper_bound(spans->second, time, {}, &Span::first);
    return next != spans->second.begin() && time < std::prev(next)->second;
  }

 private:
  std::map<ThreadId, std::vector<Span>> of_thread_;
};

bool records_complete_holds(const Facts& facts, std::vector<Argument>& arguments) {
  const Calls& api = facts.trace.api;
  if (facts.trace.kernels.launch.empty() && facts.trace.graph_launches.launch.empty()) return true;
  const Captures captures(facts.trace);
  const std::vector<bool> has_work = launching_calls(facts.trace);
  int64_t launches = 0;
  int64_t lost = 0;
  for (Row row = 0; row < row_count(api); ++row) {
    if (facts.api_kinds[row] != ApiKind::launch || !facts.judged(api.start[row])) continue;
    if (captures.holds(api.thread[row], api.start[row])) continue;
    ++launches;
    lost += has_work[row] ? 0 : 1;
  }
  const double share = launches == 0 ? 0 : static_cast<double>(lost) / static_cast<double>(launches);
  arguments = {percent_argument("share", 100 * share), count_argument("launches", launches)};
  return share <= kMaxLostShare || lost < kMinLostLaunches;
}

std::string records_complete_fails_when() {
  return fmt::format(
      "More than {:g} %, and at least {}, of the kernel launches have no kernel in the profile. Launches that a stream "
      "capture records do not count.",
      100 * kMaxLostShare, kMinLostLaunches);
}

bool past_warm_up_holds(const Facts& facts, std::vector<Argument>& arguments) {
  if (facts.steps) {
    arguments = {count_argument("steps", facts.steps->iterations), text_argument("range", facts.steps->range)};
    return facts.steps->steady.size() >= kMinSteadySteps;
  }
  const auto few = unfinished_warm_up(facts.trace);
  if (!few) return true;
  arguments = {count_argument("steps", few->iterations), text_argument("range", few->range)};
  return false;
}

std::string past_warm_up_fails_when() {
  return fmt::format(
      "Fewer than {} steps are past the warm-up. Also if a range was recorded only 2 to 4 times, and its last "
      "iteration "
      "is still clearly shorter than the one before.",
      kMinSteadySteps);
}

bool kernels_traced_holds(const Facts& facts, std::vector<Argument>& arguments) {
  int64_t in_graphs = 0;
  for (const int64_t share : facts.shares.graph_launches) in_graphs += share;
  int64_t busy = 0;
  for (const int64_t of_gpu : facts.shares.busy_ns) busy += of_gpu;
  const double share = busy == 0 ? 0 : static_cast<double>(in_graphs) / static_cast<double>(busy);
  arguments = {percent_argument("share", 100 * share)};
  return share <= kMaxShareInWholeGraphs;
}

std::string kernels_traced_fails_when() {
  return fmt::format("CUDA graphs traced as a whole take more than {:g} % of the GPUs' busy time.",
                     100 * kMaxShareInWholeGraphs);
}

bool launches_free_holds(const Facts& facts, std::vector<Argument>& /*arguments*/) {
  const Kernels& k = facts.trace.kernels;
  const Calls& api = facts.trace.api;
  int64_t launched = 0;
  int64_t waited = 0;
  for (Row row = 0; row < k.launch.size(); ++row) {
    if (k.launch[row] == kNone || !facts.judged(k.start[row])) continue;
    ++launched;
    waited += api.end[k.launch[row]] >= k.end[row] ? 1 : 0;
  }
  return launched < kMinJudgedLaunches ||
         static_cast<double>(waited) < kMinShareOfBlockingLaunches * static_cast<double>(launched);
}

std::string launches_free_fails_when() {
  return fmt::format(
      "At least {} launches are judged, and {:g} % of them return only after their kernel ends "
      "(`CUDA_LAUNCH_BLOCKING=1`, a debugger).",
      kMinJudgedLaunches, 100 * kMinShareOfBlockingLaunches);
}

bool ranks_complete_holds(const Facts& facts, std::vector<Argument>& arguments) {
  int world = 0;
  std::set<int> present;
  for (const Rank& rank : facts.trace.ranks) {
    world = std::max(world, rank.world_size.value_or(0));
    if (rank.rank) present.insert(*rank.rank);
  }
  arguments = {count_argument("present", present.size()), count_argument("world", world)};
  return world <= 1 || present.size() >= static_cast<size_t>(world);
}

std::string ranks_complete_fails_when() { return "The job has more ranks than the profile contains."; }

constexpr auto kCheckTexts = std::to_array<CatalogueText>({
#define SONDE_CHECK(name, says) {"check." #name ".says", says},
#include "findings/checks.inc"
#undef SONDE_CHECK
});

}  // namespace

std::vector<FailedCheck> failed_checks(const Facts& facts) {
  std::vector<FailedCheck> failed;
  std::vector<Argument> arguments;
#define SONDE_CHECK(name, says)                                            \
  arguments.clear();                                                       \
  if (!name##_holds(facts, arguments)) {                                   \
    failed.push_back({Check::name, "check." #name, std::move(arguments)}); \
  }
#include "findings/checks.inc"
#undef SONDE_CHECK
  return failed;
}

std::span<const CatalogueText> check_texts() { return kCheckTexts; }

std::vector<CheckDoc> check_docs() {
  return {
#define SONDE_CHECK(name, says) {Check::name, #name, name##_fails_when()},
#include "findings/checks.inc"
#undef SONDE_CHECK
  };
}

}  // namespace sonde
