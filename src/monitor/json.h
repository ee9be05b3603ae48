#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "monitor/monitor.h"

/// Snapshots and incidents as the API and the event stream have them. Unknown is null.
namespace sonde::monitor {

using Json = nlohmann::ordered_json;

/// "2026-11-22T04:00:00.000Z" (RFC 3339, UTC).
[[nodiscard]] std::string moment_text_ms(int64_t moment_ns);

[[nodiscard]] Json gpu_json(const GpuView& gpu, const HostSnapshot& host);
/// Body of GET /api/v1/gpus.
[[nodiscard]] Json gpus_json(const HostSnapshot& host, const std::string& hostname);
[[nodiscard]] Json incident_json(const Incident& incident);
/// Body of GET /api/v1/waste for these days.
[[nodiscard]] Json waste_json(const std::map<int64_t, std::vector<WasteEntry>>& days, const config::Cost& cost);

/// Data of the event `samples`.
[[nodiscard]] Json samples_event_json(const HostSnapshot& host);
/// Data of the event `incident`.
[[nodiscard]] Json incident_event_json(const IncidentNews& news);

/// On one line. Names come from elsewhere and may hold bytes that are no UTF-8: these become U+FFFD.
[[nodiscard]] std::string json_line(const Json& json);

}  // namespace sonde::monitor
