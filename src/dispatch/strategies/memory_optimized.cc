#include <fmt/format.h>

#include "dispatch/rules/shared_refusal.h"
#include "dispatch/strategy.h"

namespace sonde::dispatch {
namespace memory_optimized {
namespace {

/// Of a GPU that does not say how much memory it has: behind all that do.
constexpr double kUnknown = -1e9;

/// Minus the GiB that are left once the task is there.
void score(const StrategyContext&, std::span<const Choice> choices, Scores& scores) {
  for (const Choice& choice : choices) {
    const std::optional<int64_t> room = room_bytes(*choice.gpu, *choice.load);
    const auto left = static_cast<double>(room.value_or(0) - choice.need_bytes);
    scores.values.push_back(room ? -left / static_cast<double>(1LL << 30) : kUnknown);
  }
}

std::string score_text(const StrategyContext&, const Choice& choice, double) {
  const std::optional<int64_t> room = room_bytes(*choice.gpu, *choice.load);
  if (!room) return "free memory unknown";
  return shown_gib(*room - choice.need_bytes) + " left over";
}

}  // namespace
}  // namespace memory_optimized

extern constinit const Strategy memory_optimized_strategy = {
    .name = "memory_optimized",
    .description = "best fit by memory: the GPU with the least free memory left over",
    .score = memory_optimized::score,
    .score_text = memory_optimized::score_text,
};

}  // namespace sonde::dispatch
