#include "api/api.h"

namespace sonde::api {
namespace {

Response answer(const Call& /*call*/) {
  static const std::string document = openapi_document();
  Response response;
  response.body = document;
  return response;
}

}  // namespace

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
                                        .answer = answer};

}  // namespace sonde::api
