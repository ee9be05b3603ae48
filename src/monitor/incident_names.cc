#include <array>
#include <string_view>

#include "monitor/incident.h"
#include "monitor/monitor.h"
#include "monitor/sample.h"
#include "monitor/waste.h"

/// Enumerators as JSON, logs and metrics have them.
namespace sonde::monitor {
namespace {

template <typename Enum, size_t kCount>
std::string_view name_in(const std::array<std::string_view, kCount>& names, Enum value) {
  return names.at(static_cast<size_t>(value));
}

}  // namespace

std::string_view quality_name(Quality quality) {
  static constexpr std::array<std::string_view, 4> kNames = {"fresh", "stale", "absent", "contradictory"};
  return name_in(kNames, quality);
}

std::string_view severity_name(Severity severity) {
  static constexpr std::array<std::string_view, 3> kNames = {"info", "warning", "critical"};
  return name_in(kNames, severity);
}

std::string_view change_name(IncidentChange change) {
  static constexpr std::array<std::string_view, 4> kNames = {"opened", "changed", "cleared", "acknowledged"};
  return name_in(kNames, change);
}

std::string_view waste_name(WasteKind kind) {
  static constexpr std::array<std::string_view, 3> kNames = {"held_idle", "dead_memory", "unused"};
  return name_in(kNames, kind);
}

std::string_view health_name(Health health) {
  static constexpr std::array<std::string_view, 3> kNames = {"ok", "warning", "critical"};
  return name_in(kNames, health);
}

}  // namespace sonde::monitor
