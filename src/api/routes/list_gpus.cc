#include <nlohmann/json.hpp>

#include "api/answers.h"
#include "monitor/json.h"

namespace sonde::api {
namespace list_gpus {
namespace {

Response answer(const Call& call) {
  return json_response(monitor::gpus_json(*call.services.monitor->snapshot(), call.services.hostname));
}

}  // namespace
}  // namespace list_gpus

extern const Route list_gpus_route;
constinit const Route list_gpus_route{
    .name = "list_gpus",
    .path = "/api/v1/gpus",
    .summary = "Latest samples of all GPUs of this host",
    .description =
        "Does not read GPUs. A hung GPU does not delay the response; its sample is marked as stale or absent.",
    .parameters = {},
    .body = {},
    .response = R"({"$ref": "#/components/schemas/Host"})",
    .example = {},
    .answer = list_gpus::answer};

}  // namespace sonde::api
