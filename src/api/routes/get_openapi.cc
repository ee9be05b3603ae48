#include "api/api.h"

namespace sonde::api {
namespace get_openapi {
namespace {

Response answer(const Call& /*call*/) {
  static const std::string document = openapi_document();
  Response response;
  response.body = document;
  return response;
}

}  // namespace
}  // namespace get_openapi

extern const Route get_openapi_route;
constinit const Route get_openapi_route{.name = "get_openapi",
                                        .path = "/api/v1/openapi.json",
                                        .role = Role::none,
                                        .summary = "This document",
                                        .description = {},
                                        .parameters = {},
                                        .body = {},
                                        .response = R"({"type": "object"})",
                                        .example = {},
                                        .answer = get_openapi::answer};

}  // namespace sonde::api
