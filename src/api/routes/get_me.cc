#include <nlohmann/json.hpp>

#include "api/answers.h"

namespace sonde::api {
namespace get_me {
namespace {

Response answer(const Call& call) {
  return json_response({{"name", call.caller.name}, {"role", role_name(call.caller.role)}});
}

}  // namespace
}  // namespace get_me

extern const Route get_me_route;
constinit const Route get_me_route{.name = "get_me",
                                   .path = "/api/v1/me",
                                   .summary = "Name and role of the key of the request",
                                   .description = {},
                                   .parameters = {},
                                   .body = {},
                                   .response = R"({"$ref": "#/components/schemas/Me"})",
                                   .example = {},
                                   .answer = get_me::answer};

}  // namespace sonde::api
