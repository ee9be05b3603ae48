#include <array>

#include "monitor/quality/shared_rule.h"

namespace sonde::monitor::quality {

#define SONDE_QUALITY_RULE(name) extern const Rule name##_rule;
#include "monitor/quality/list.inc"
#undef SONDE_QUALITY_RULE

std::span<const Rule* const> rules() {
  static constexpr std::array kAll = {
#define SONDE_QUALITY_RULE(name) &name##_rule,
#include "monitor/quality/list.inc"
#undef SONDE_QUALITY_RULE
  };
  return kAll;
}

}  // namespace sonde::monitor::quality
