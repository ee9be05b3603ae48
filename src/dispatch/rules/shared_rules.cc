#include <array>

#include "dispatch/rule.h"

namespace sonde::dispatch {

#define SONDE_DISPATCH_RULE(name) extern const Rule name##_rule;
#include "dispatch/rules/list.inc"
#undef SONDE_DISPATCH_RULE

std::span<const Rule* const> rules() {
  static constexpr std::array kAll = {
#define SONDE_DISPATCH_RULE(name) &name##_rule,
#include "dispatch/rules/list.inc"
#undef SONDE_DISPATCH_RULE
  };
  return kAll;
}

}  // namespace sonde::dispatch
