#include "api/problem.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sonde::api {

Response problem(int status, std::string_view code, std::string_view title, std::string_view detail) {
  const nlohmann::ordered_json body = {
      {"type", fmt::format("/problems/{}", code)}, {"title", title}, {"status", status}, {"detail", detail}};
  Response response;
  response.status = status;
  response.content_type = "application/problem+json";
  // Parts of a request may stand in the texts, and those can be any bytes.
  response.body = body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return response;
}

}  // namespace sonde::api
