#include <limits>

#include <fmt/format.h>

#include "dispatch/rules/told.h"
#include "dispatch/strategies/mapping.h"
#include "dispatch/strategies/use.h"

namespace sonde::dispatch {
namespace {

/// Higher than any that the others get, since those are minus a share of use.
constexpr double kMapped = 1;

bool is_mapped(const std::string& mapped, const Choice& choice) { return names_gpu(mapped, *choice.gpu); }

/// A task with several GPUs gets the mapped one and, beside it, the least used ones.
double score_beside(const StrategyContext& context, const Choice& choice) {
  if (context.task.spec.gpus <= 1) return std::numeric_limits<double>::quiet_NaN();
  return -use_of(context.config, choice);
}

void score(const StrategyContext& context, std::span<const Choice> choices, Scores& scores) {
  const std::string* const mapped = mapping_of(context.config, context.task);
  if (mapped == nullptr) {
    scores.note = fmt::format("the type {} has no mapping: chosen by least_loaded", context.task.spec.type);
    for (const Choice& choice : choices) scores.values.push_back(-use_of(context.config, choice));
    return;
  }
  const bool is_there = std::ranges::any_of(choices, [&](const Choice& choice) { return is_mapped(*mapped, choice); });
  for (const Choice& choice : choices) {
    if (!is_there)
      scores.values.push_back(std::numeric_limits<double>::quiet_NaN());
    else
      scores.values.push_back(is_mapped(*mapped, choice) ? kMapped : score_beside(context, choice));
  }
}

std::string score_text(const StrategyContext& context, const Choice& choice, double score) {
  if (score == kMapped) return fmt::format("mapped for the type {}", context.task.spec.type);
  return shown_share(use_of(context.config, choice)) + " in use";
}

}  // namespace

extern constinit const Strategy task_specific_strategy = {
    .name = "task_specific",
    .description = "the GPU that the mapping names for the task's type",
    .score = score,
    .score_text = score_text,
};

}  // namespace sonde::dispatch
