#include <algorithm>
#include <array>

#include "dispatch/strategy.h"

namespace sonde::dispatch {

#define SONDE_STRATEGY(name) extern const Strategy name##_strategy;
#include "config/strategies.inc"
#undef SONDE_STRATEGY

std::span<const Strategy* const> strategies() {
  static constexpr std::array kAll = {
#define SONDE_STRATEGY(name) &name##_strategy,
#include "config/strategies.inc"
#undef SONDE_STRATEGY
  };
  return kAll;
}

const Strategy* find_strategy(std::string_view name) {
  const auto all = strategies();
  const auto found = std::ranges::find(all, name, &Strategy::name);
  return found == all.end() ? nullptr : *found;
}

}  // namespace sonde::dispatch
