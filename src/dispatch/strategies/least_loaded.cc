#include "dispatch/rules/shared_refusal.h"
#include "dispatch/strategies/shared_use.h"

namespace sonde::dispatch {
namespace least_loaded {
namespace {

void score(const StrategyContext& context, std::span<const Choice> choices, Scores& scores) {
  for (const Choice& choice : choices) scores.values.push_back(-use_of(context.config, choice));
}

std::string score_text(const StrategyContext& context, const Choice& choice, double) {
  return shown_share(use_of(context.config, choice)) + " in use";
}

}  // namespace
}  // namespace least_loaded

extern constinit const Strategy least_loaded_strategy = {
    .name = "least_loaded",
    .description = "the GPU with the lowest load: utilization, memory and slots",
    .score = least_loaded::score,
    .score_text = least_loaded::score_text,
};

}  // namespace sonde::dispatch
