#include "analyses/measured/occupancy_limiter.h"

#include <array>
#include <limits>

#include <fmt/format.h>

namespace sonde {

std::string occupancy_limiter(const Trace& trace, const KernelProfile& kernel) {
  struct Limit {
    std::string_view metric, name;
  };
  constexpr std::array kLimits = {
      Limit{"launch__occupancy_limit_registers", "registers"},
      Limit{"launch__occupancy_limit_shared_mem", "shared memory"}, Limit{"launch__occupancy_limit_warps", "warps"},
      Limit{"launch__occupancy_limit_blocks", "blocks"}, Limit{"launch__occupancy_limit_barriers", "barriers"}};
  std::string names;
  double least = std::numeric_limits<double>::infinity();
  for (const Limit& limit : kLimits) {
    const auto blocks = metric_number(trace, kernel, limit.metric);
    if (!blocks || *blocks > least) continue;
    names = *blocks < least || names.empty() ? std::string(limit.name) : fmt::format("{}, {}", names, limit.name);
    least = *blocks;
  }
  return names;
}

}  // namespace sonde
