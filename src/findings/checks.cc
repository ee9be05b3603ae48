#include "findings/checks.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "trace/columns.h"

namespace sonde {
namespace {

constexpr double kMaxShareInWholeGraphs = 0.1;
constexpr double kMinShareOfBlockingLaunches = 0.95;
constexpr int64_t kMinJudgedLaunches = 20;

bool window_long_enough_holds(const Facts& facts, std::vector<Argument>& arguments) {
  if (facts.is_whole()) return true;
  arguments = {count_argument("launches", facts.cut->launches)};
  return false;
}

std::string window_long_enough_fails_when() {
  return fmt::format(
      "The work of many launches had not run when the recording ended. Less than {:g} % of the time, or fewer than {} "
      "steps, came before them.",
      100 * kMinUncutPart, kMinSteadySteps);
}

bool records_complete_holds(const Facts& facts, std::vector<Argument>& arguments) {
  const LaunchCounts counts = launches_in(facts.trace, facts.launched, facts.launching_time());
  arguments = {percent_argument("share", 100 * counts.lost_share()), count_argument("launches", counts.all)};
  return counts.lost_share() <= kMaxLostShare;
}

std::string records_complete_fails_when() {
  return fmt::format(
      "More than {:g} %, and at least {}, of the kernel launches have no kernel in the profile. Launches that a stream "
      "capture records do not count, nor do launches whose work had not run when the recording ended.",
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
    {"window_cut.says",
     "The last {time} are not judged: the work of {launches} launches had not run when the recording ended."},
    {"recorder.says",
     "{what} takes {recorded} as recorded and {without} ({low} to {high}) without the profiler's own cost. All times "
     "and shares here are of the run without it."},
    {"recorder_beside.says",
     "{what} takes {recorded} as recorded and {without} ({low} to {high}) without the profiler's own cost; the GPU is "
     "then busy for {busy} of it, {recorded_busy} as recorded. All other figures here are as recorded."},
    {"recorder_beside_given.says",
     "{what} takes {recorded} as recorded and {without}, as given, without the profiler's own cost; the GPU is then "
     "busy for {busy} of it, {recorded_busy} as recorded. All other figures here are as recorded."},
    {"recorder_given.says",
     "{what} takes {recorded} as recorded. It was replayed without the profiler's own cost to match the given step "
     "time: {without}. All times and shares here are of that run."},
    {"recorder_open.says",
     "The profiler slowed the host, and the profile does not show exactly by how much: without it the GPU is busy for "
     "{least_busy} to {most_busy} of a step. To know whether the host limits the program, record with `sonde record`, "
     "or with record_shapes=False, or measure a step without a profiler and pass --step-time."},
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
