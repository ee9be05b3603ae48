#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/api.h"

namespace sonde::api {

enum class HealthStatus {
  ok,
  degraded,  ///< the service works, something around it does not
  failed     ///< the service does not do its work
};
[[nodiscard]] std::string_view health_status_name(HealthStatus status);

struct HealthCheck {
  std::string_view name;
  HealthStatus status = HealthStatus::ok;
  std::string detail;  ///< what is wrong; empty when ok
};

/// What the service says of itself. Reads memory only.
[[nodiscard]] std::vector<HealthCheck> health_checks(const Services& services);
[[nodiscard]] HealthStatus worst_of(const std::vector<HealthCheck>& checks);

/// Why questions about GPUs cannot be answered yet; empty when they can.
[[nodiscard]] std::string why_not_ready(const Services& services);

}  // namespace sonde::api
