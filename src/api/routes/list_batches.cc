#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "api/answers.h"
#include "api/tasks.h"

namespace sonde::api {
namespace list_batches {
namespace {

constexpr int64_t kDefaultLimit = 20;

Response answer(const Call& call) {
  const auto dispatcher = dispatcher_of(call.services);
  if (!dispatcher) return dispatcher.error();
  const int64_t limit = query_integer(call, "limit", kDefaultLimit);
  // Reads one more than requested, to know whether there are more.
  const auto found = (*dispatcher)->store().list_batches(query_integer(call, "before", 0), limit + 1);
  if (!found) return refuse("tasks_unreadable", {{"what", found.error().message}});
  const auto shown = std::min(found->size(), static_cast<size_t>(limit));
  nlohmann::ordered_json body = {{"batches", nlohmann::ordered_json::array()}, {"next_before", nullptr}};
  for (size_t i = 0; i < shown; ++i) {
    auto batch = batch_body(**dispatcher, (*found)[i]);
    if (!batch) return batch.error();
    body["batches"].push_back(*std::move(batch));
  }
  if (found->size() > shown) body["next_before"] = (*found)[shown - 1].id;
  return json_response(body);
}

constexpr std::array kParameters = {
    Parameter{.name = "before",
              .schema = R"({"type": "integer", "minimum": 1})",
              .description = "Only entries before this ID: `next_before` of the previous response"},
    Parameter{.name = "limit",
              .schema = R"({"type": "integer", "minimum": 1, "maximum": 100})",
              .description = "Maximum number; default: 20"},
};
constexpr std::array<std::string_view, 2> kProblems = {"tasks_disabled", "tasks_unreadable"};

}  // namespace
}  // namespace list_batches

extern const Route list_batches_route;
constinit const Route list_batches_route{.name = "list_batches",
                                         .path = "/api/v1/batches",
                                         .summary = "Batches, newest first",
                                         .description = {},
                                         .parameters = list_batches::kParameters,
                                         .body = {},
                                         .response = R"({"$ref": "#/components/schemas/Batches"})",
                                         .example = {},
                                         .problems = list_batches::kProblems,
                                         .answer = list_batches::answer};

}  // namespace sonde::api
