#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::gate {

/// What a difference in a condition forbids.
enum class Forbids : uint8_t { nothing, timed, everything };

/// A row of conditions.inc.
struct ConditionInfo {
  std::string_view name;
  std::string_view title;  ///< for people
  Forbids forbids;
};
[[nodiscard]] std::span<const ConditionInfo> condition_infos();
/// nullptr for a name that is none.
[[nodiscard]] const ConditionInfo* find_condition(std::string_view name);

/// Values by the names of conditions.inc. What is not known is not there.
using Conditions = std::map<std::string, std::string, std::less<>>;

}  // namespace sonde::gate
