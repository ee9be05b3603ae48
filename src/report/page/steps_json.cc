#include "report/page/steps_json.h"

#include "analyses/steps/step_work.h"

namespace sonde {
namespace {

using Json = nlohmann::ordered_json;

Json rank_json(const ReportSource& source, const RankTurns& turns) {
  Json rank = {{"rank", turns.rank},           {"start_ns", Json::array()}, {"end_ns", Json::array()},
               {"gpu_busy_ns", Json::array()}, {"kernels", Json::array()},  {"launches", Json::array()},
               {"copy_bytes", Json::array()}};
  for (const Span& step : turns.steady) {
    rank["start_ns"].push_back(step.first - source.origin_ns());
    rank["end_ns"].push_back(step.second - source.origin_ns());
  }
  for (const StepWork& work : work_of_steps(source.trace, source.facts.gpus, turns)) {
    rank["gpu_busy_ns"].push_back(work.gpu_busy_ns);
    rank["kernels"].push_back(work.kernels);
    rank["launches"].push_back(work.launches);
    rank["copy_bytes"].push_back(work.copy_bytes);
  }
  return rank;
}

}  // namespace

Json steps_json(const ReportSource& source) {
  const std::optional<WarmUp>& found = source.facts.steps;
  if (!found || found->steady.empty()) return nullptr;
  Json steps = {{"range", found->range}, {"warm_up", found->slow_iterations}, {"ranks", Json::array()}};
  for (const RankTurns& turns : source.turns) {
    steps["ranks"].push_back(rank_json(source, turns));
  }
  return steps;
}

}  // namespace sonde
