#include "dispatch/engine/placement.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dispatch/rules/shared_failed_worker.h"
#include "dispatch/rules/shared_refusal.h"
#include "dispatch/strategies/shared_mapping.h"

namespace sonde::dispatch {
namespace {

std::span<const Rule* const> task_rules() {
  static const std::vector<const Rule*> all = [] {
    std::vector<const Rule*> of_tasks;
    std::ranges::copy_if(rules(), std::back_inserter(of_tasks), [](const Rule* rule) { return !rule->is_of_gpu; });
    return of_tasks;
  }();
  return all;
}

/// The load as this task sees it: with whom the GPU is kept for.
GpuLoad load_for(const FleetGpu& gpu, int64_t kept_for) {
  GpuLoad load = gpu.load;
  load.is_kept = kept_for != 0;
  load.kept_for = kept_for;
  return load;
}

/// A strategy that this version does not have cannot be configured: least_loaded is for tests of parts.
const Strategy& strategy_for(const config::Config& config, const Task& task) {
  const Strategy* const found = find_strategy(strategy_of(config, task));
  return found != nullptr ? *found : *find_strategy("least_loaded");
}

/// Place of the GPU's score; absent where it got none.
std::optional<size_t> score_of(const Placed* placed, size_t gpu) {
  if (placed == nullptr) return std::nullopt;
  const auto at = std::ranges::find(placed->among, gpu);
  if (at == placed->among.end()) return std::nullopt;
  return static_cast<size_t>(at - placed->among.begin());
}

}  // namespace

bool Placement::is_eligible(const config::Config& config, const Task& task, const Need& need, Place place,
                            size_t index) const {
  const FleetGpu& gpu = fleet_->gpus()[index];
  if (!gpu.is_open) return false;
  const int64_t bytes = need.on(config, gpu.state);
  const GpuLoad load = load_for(gpu, keeping_->kept_from(index, task, place, bytes));
  const Candidate candidate{.config = config,
                            .task = task,
                            .gpu = gpu.state,
                            .load = load,
                            .need_bytes = bytes,
                            .is_first = fleet_->first_well() == index};
  return std::ranges::none_of(task_rules(), [&](const Rule* rule) { return rule->refuses(candidate); });
}

std::optional<Placed> Placement::place(const config::Config& config, const Task& task, Place place) {
  const Need need = needs_->of(task);
  std::vector<size_t> among;
  for (size_t i = 0; i < fleet_->gpus().size(); ++i) {
    if (is_eligible(config, task, need, place, i)) among.push_back(i);
  }
  if (among.size() < static_cast<size_t>(task.spec.gpus)) return std::nullopt;
  return choose(config, task, need, untried(task, std::move(among)), static_cast<size_t>(task.spec.gpus));
}

/// Without those whose worker failed the task, where enough others are left.
std::vector<size_t> Placement::untried(const Task& task, std::vector<size_t> among) const {
  std::vector<size_t> left;
  std::ranges::copy_if(among, std::back_inserter(left),
                       [&](size_t i) { return !worker_failed_on(task, fleet_->gpus()[i].state.uuid); });
  return left.size() < static_cast<size_t>(task.spec.gpus) ? among : left;
}

std::optional<Placed> Placement::choose(const config::Config& config, const Task& task, const Need& need,
                                        std::vector<size_t> among, size_t count) {
  std::vector<Choice> choices;
  for (const size_t i : among) {
    const FleetGpu& gpu = fleet_->gpus()[i];
    choices.push_back({.gpu = &gpu.state, .load = &gpu.load, .need_bytes = need.on(config, gpu.state)});
  }
  const Strategy& strategy = strategy_for(config, task);
  Scores scores;
  turn_of_scores_ = next_in_turn_;
  strategy.score({.config = config,
                  .task = task,
                  .next_in_turn = next_in_turn_,
                  .gpu_count = fleet_->gpus().size(),
                  .random = random_},
                 choices, scores);
  std::vector<size_t> order;
  for (size_t i = 0; i < among.size(); ++i) {
    if (!std::isnan(scores.values[i])) order.push_back(i);
  }
  if (order.size() < count || count == 0) return std::nullopt;
  std::ranges::stable_sort(order, std::ranges::greater(), [&](size_t i) { return scores.values[i]; });
  Placed placed{.strategy = &strategy,
                .note = std::move(scores.note),
                .gpus = {},
                .among = std::move(among),
                .scores = std::move(scores.values)};
  for (size_t i = 0; i < count; ++i) placed.gpus.push_back(placed.among[order[i]]);
  next_in_turn_ = (fleet_->gpus()[placed.gpus.back()].state.index + 1) % fleet_->gpus().size();
  return placed;
}

std::string Placement::score_text(const config::Config& config, const Task& task, const Placed& placed, size_t at,
                                  const Need& need) const {
  const FleetGpu& gpu = fleet_->gpus()[placed.among[at]];
  const StrategyContext context{.config = config,
                                .task = task,
                                .next_in_turn = turn_of_scores_,
                                .gpu_count = fleet_->gpus().size(),
                                .random = random_};
  const Choice choice{.gpu = &gpu.state, .load = &gpu.load, .need_bytes = need.on(config, gpu.state)};
  return placed.strategy->score_text(context, choice, placed.scores[at]);
}

std::vector<Judgement> Placement::judge(const config::Config& config, const Task& task, Place place,
                                        const Placed* placed) const {
  const Need need = needs_->of(task);
  std::vector<Judgement> all;
  for (size_t i = 0; i < fleet_->gpus().size(); ++i) {
    const FleetGpu& gpu = fleet_->gpus()[i];
    const int64_t bytes = need.on(config, gpu.state);
    const GpuLoad load = load_for(gpu, keeping_->kept_from(i, task, place, bytes));
    const std::optional<size_t> score = score_of(placed, i);
    Judgement& judgement = all.emplace_back();
    judgement.gpu = gpu.state.index;
    judgement.uuid = gpu.state.uuid;
    judgement.refusals = refusals_of({.config = config,
                                      .task = task,
                                      .gpu = gpu.state,
                                      .load = load,
                                      .need_bytes = bytes,
                                      .is_first = fleet_->first_well() == i});
    const bool is_passed_over = placed != nullptr && !score && judgement.refusals.empty();
    if (is_passed_over) judgement.refusals.push_back(failed_worker());
    if (!score) continue;
    judgement.chosen = std::ranges::find(placed->gpus, i) != placed->gpus.end();
    if (std::isnan(placed->scores[*score])) continue;
    judgement.score = placed->scores[*score];
    judgement.score_text = score_text(config, task, *placed, *score, need);
  }
  return all;
}

}  // namespace sonde::dispatch
