#include "dispatch/strategy.h"

namespace sonde::dispatch {
namespace random {
namespace {

/// 53 random bits as a share: the same on all platforms, which std::uniform_real_distribution is not.
double share(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

void score(const StrategyContext& context, std::span<const Choice> choices, Scores& scores) {
  for (size_t i = 0; i < choices.size(); ++i) scores.values.push_back(share(context.random()));
}

std::string score_text(const StrategyContext&, const Choice&, double) { return "chosen at random"; }

}  // namespace
}  // namespace random

extern constinit const Strategy random_strategy = {
    .name = "random",
    .description = "any eligible GPU",
    .score = random::score,
    .score_text = random::score_text,
};

}  // namespace sonde::dispatch
