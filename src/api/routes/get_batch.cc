#include <array>

#include <nlohmann/json.hpp>

#include "api/answers.h"
#include "api/tasks.h"

namespace sonde::api {
namespace get_batch {
namespace {

Response answer(const Call& call) {
  const auto asked = asked_batch(call);
  if (!asked) return asked.error();
  const auto body = batch_body(*asked->dispatcher, asked->batch);
  return body ? json_response(*body) : body.error();
}

constexpr std::array<std::string_view, 3> kProblems = {"unknown_batch", "tasks_disabled", "tasks_unreadable"};

}  // namespace
}  // namespace get_batch

extern const Route get_batch_route;
constinit const Route get_batch_route{.name = "get_batch",
                                      .path = "/api/v1/batches/{batch}",
                                      .summary = "A batch: its split over the GPUs, and the states of its tasks",
                                      .description = {},
                                      .parameters = {},
                                      .body = {},
                                      .response = R"({"$ref": "#/components/schemas/Batch"})",
                                      .example = {},
                                      .problems = get_batch::kProblems,
                                      .answer = get_batch::answer};

}  // namespace sonde::api
