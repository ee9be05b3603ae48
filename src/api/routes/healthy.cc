#include "api/answers.h"
#include "api/health.h"

namespace sonde::api {
namespace healthy {
namespace {

Response answer(const Call& call) {
  const bool failed = worst_of(health_checks(call.services)) == HealthStatus::failed;
  return failed ? text_response(503, "Sonde is unhealthy: see /api/v1/health for the reason.\n")
                : text_response(200, "Sonde is healthy.\n");
}

}  // namespace
}  // namespace healthy

extern const Route healthy_route;
constinit const Route healthy_route{.name = "healthy",
                                    .path = "/-/healthy",
                                    .role = Role::none,
                                    .summary = "200 while sampling and the dispatcher work; for liveness probes",
                                    .description = {},
                                    .parameters = {},
                                    .body = {},
                                    .response = "text/plain",
                                    .example = {},
                                    .answer = healthy::answer};

}  // namespace sonde::api
