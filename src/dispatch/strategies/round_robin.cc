#include <fmt/format.h>

#include "dispatch/strategy.h"

namespace sonde::dispatch {
namespace round_robin {
namespace {

/// GPUs that the turn passes before it comes to this one.
size_t passed(const StrategyContext& context, const Choice& choice) {
  const size_t count = context.gpu_count == 0 ? 1 : context.gpu_count;
  return (choice.gpu->index + count - context.next_in_turn % count) % count;
}

void score(const StrategyContext& context, std::span<const Choice> choices, Scores& scores) {
  for (const Choice& choice : choices) scores.values.push_back(-static_cast<double>(passed(context, choice)));
}

std::string score_text(const StrategyContext&, const Choice&, double score) {
  if (score == 0) return "next in turn";
  return fmt::format("{:.0f} later in turn", -score);
}

}  // namespace
}  // namespace round_robin

extern constinit const Strategy round_robin_strategy = {
    .name = "round_robin",
    .description = "tasks go to each eligible GPU in turn",
    .score = round_robin::score,
    .score_text = round_robin::score_text,
};

}  // namespace sonde::dispatch
