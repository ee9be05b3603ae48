#include "gate/condition.h"

#include <algorithm>
#include <array>

namespace sonde::gate {
namespace {

constexpr auto kConditions = std::to_array<ConditionInfo>({
#define SONDE_CONDITION(name, title, forbids) {#name, title, Forbids::forbids},
#include "gate/conditions.inc"
#undef SONDE_CONDITION
});

}  // namespace

std::span<const ConditionInfo> condition_infos() { return kConditions; }

const ConditionInfo* find_condition(std::string_view name) {
  const std::span<const ConditionInfo> infos = condition_infos();
  const auto found = std::ranges::find(infos, name, &ConditionInfo::name);
  return found == infos.end() ? nullptr : &*found;
}

}  // namespace sonde::gate
