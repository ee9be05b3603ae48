#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "monitor/incident.h"
#include "monitor/waste.h"

/// Incidents and waste as the database keeps them: JSON with moments in nanoseconds, so that nothing is rounded.
namespace sonde::monitor::history {

[[nodiscard]] std::string text_of(const Incident& incident);
[[nodiscard]] std::string text_of(const WasteEntry& entry);
/// Absent where the text is none of text_of()'s.
[[nodiscard]] std::optional<Incident> incident_of_text(std::string_view text);
[[nodiscard]] std::optional<WasteEntry> waste_of_text(std::string_view text);

}  // namespace sonde::monitor::history
