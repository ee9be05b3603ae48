#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "dispatch/strategies/shared_mapping.h"
#include "dispatch/strategy.h"

namespace sonde::dispatch {

extern const Strategy least_loaded_strategy;

namespace task_specific {
namespace {

/// Higher than any that least_loaded gives, since those are minus a share of use.
constexpr double kMapped = 1;
constexpr double kNotThisOne = std::numeric_limits<double>::quiet_NaN();

/// The mapped GPU where it is there; a task with several GPUs gets the least used ones beside it.
void score(const StrategyContext& context, std::span<const Choice> choices, Scores& scores) {
  least_loaded_strategy.score(context, choices, scores);
  const std::string* const mapped = mapping_of(context.config, context.task);
  if (mapped == nullptr) {
    scores.note = fmt::format("type {} has no mapping; chosen by least_loaded", context.task.spec.type);
    return;
  }
  const auto is_mapped = [&](const Choice& choice) { return names_gpu(*mapped, *choice.gpu); };
  const bool takes_others = context.task.spec.gpus > 1 && std::ranges::any_of(choices, is_mapped);
  for (size_t i = 0; i < choices.size(); ++i) {
    if (is_mapped(choices[i]))
      scores.values[i] = kMapped;
    else if (!takes_others)
      scores.values[i] = kNotThisOne;
  }
}

std::string score_text(const StrategyContext& context, const Choice& choice, double score) {
  if (score == kMapped) return fmt::format("mapped for type {}", context.task.spec.type);
  return least_loaded_strategy.score_text(context, choice, score);
}

}  // namespace
}  // namespace task_specific

extern constinit const Strategy task_specific_strategy = {
    .name = "task_specific",
    .description = "the GPU that the mapping names for the task's type",
    .score = task_specific::score,
    .score_text = task_specific::score_text,
};

}  // namespace sonde::dispatch
