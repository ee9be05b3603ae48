#include <array>

#include <nlohmann/json.hpp>

#include "api/answers.h"
#include "api/tasks.h"

namespace sonde::api {
namespace {

Response answer(const Call& call) {
  const auto dispatcher = dispatcher_of(call.services);
  if (!dispatcher) return dispatcher.error();
  const auto batch = find_batch(**dispatcher, call.path_values.front());
  if (!batch) return batch.error();
  const auto body = batch_body(**dispatcher, *batch);
  return body ? json_response(*body) : body.error();
}

constexpr std::array<std::string_view, 3> kProblems = {"unknown_batch", "tasks_disabled", "tasks_unreadable"};

}  // namespace

extern const Route get_batch_route;
constinit const Route get_batch_route{.name = "get_batch",
                                      .path = "/api/v1/batches/{batch}",
                                      .summary = "One batch: how it was split, and the states of its tasks",
                                      .description = {},
                                      .parameters = {},
                                      .body = {},
                                      .response = R"({"$ref": "#/components/schemas/Batch"})",
                                      .example = {},
                                      .problems = kProblems,
                                      .answer = answer};

}  // namespace sonde::api
