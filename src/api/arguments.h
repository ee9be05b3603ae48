#pragma once

#include "api/problems.h"
#include "api/router.h"

namespace sonde::api {

/// Refuses a request whose query or body is not what the route's schemas say.
[[nodiscard]] Answered<void> check_query(const Request& request, const RouteEntry& entry);
/// The body, parsed; null where the route takes none.
[[nodiscard]] Answered<nlohmann::json> check_body(const Request& request, const RouteEntry& entry, int64_t max_bytes);

/// "POST /api/v1/config/reload"
[[nodiscard]] std::string call_text(const Route& route);

}  // namespace sonde::api
