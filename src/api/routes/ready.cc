#include "api/answers.h"
#include "api/health.h"

namespace sonde::api {
namespace ready {
namespace {

Response answer(const Call& call) {
  const std::string reason = why_not_ready(call.services);
  return reason.empty() ? text_response(200, "Sonde is ready.\n") : text_response(503, reason + "\n");
}

}  // namespace
}  // namespace ready

extern const Route ready_route;
constinit const Route ready_route{.name = "ready",
                                  .path = "/-/ready",
                                  .role = Role::none,
                                  .summary = "200 after the first sampling round; for readiness probes",
                                  .description = {},
                                  .parameters = {},
                                  .body = {},
                                  .response = "text/plain",
                                  .example = {},
                                  .answer = ready::answer};

}  // namespace sonde::api
