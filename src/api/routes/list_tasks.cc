#include <algorithm>
#include <array>

#include "api/answers.h"
#include "api/tasks.h"
#include "dispatch/json.h"

namespace sonde::api {
namespace list_tasks {
namespace {

constexpr int64_t kDefaultLimit = 100;

dispatch::TaskQuery query_of(const Call& call) {
  dispatch::TaskQuery query;
  for (const std::string& name : query_list(call, "state")) {
    if (const auto state = dispatch::state_of(name)) query.states.push_back(*state);
  }
  query.type = call.query("type");
  query.submitted_by = call.query("by");
  query.batch = query_integer(call, "batch", 0);
  query.before_id = query_integer(call, "before", 0);
  query.max = query_integer(call, "limit", kDefaultLimit);
  return query;
}

Response answer(const Call& call) {
  const auto dispatcher = dispatcher_of(call.services);
  if (!dispatcher) return dispatcher.error();
  dispatch::TaskQuery query = query_of(call);
  const auto limit = static_cast<size_t>(query.max++);  // one more, to know whether there are more
  const auto found = (*dispatcher)->list(query);
  if (!found) return refuse("tasks_unreadable", {{"what", found.error().message}});
  const size_t shown = std::min(found->size(), limit);
  const bool has_more = found->size() > shown;
  dispatch::JsonText body(dispatch::JsonText::Bad::replaced);
  body.open_object().key("tasks");
  dispatch::put_tasks(body, std::span(*found).first(shown));
  body.or_null("next_before", has_more ? std::optional((*found)[shown - 1].id) : std::nullopt);
  return json_response(body.close_object().take());
}

constexpr std::array kParameters = {
    Parameter{.name = "state",
              .schema = R"({"type": "array", "items": {"$ref": "#/components/schemas/TaskState"}, "maxItems": 6})",
              .description = "Only in these states, separated by commas"},
    Parameter{.name = "type",
              .schema = R"({"type": "string", "minLength": 1, "maxLength": 128})",
              .description = "Only of this type"},
    Parameter{.name = "by",
              .schema = R"({"type": "string", "minLength": 1, "maxLength": 64})",
              .description = "Only submitted with the key of this name"},
    Parameter{.name = "batch", .schema = R"({"type": "integer", "minimum": 1})", .description = "Only of this batch"},
    Parameter{.name = "before",
              .schema = R"({"type": "integer", "minimum": 1})",
              .description = "Only entries before this ID: `next_before` of the previous response"},
    Parameter{.name = "limit",
              .schema = R"({"type": "integer", "minimum": 1, "maximum": 1000})",
              .description = "Maximum number; default: 100"},
};
constexpr std::array<std::string_view, 2> kProblems = {"tasks_disabled", "tasks_unreadable"};

}  // namespace
}  // namespace list_tasks

extern const Route list_tasks_route;
constinit const Route list_tasks_route{.name = "list_tasks",
                                       .path = "/api/v1/tasks",
                                       .summary = "Tasks, newest first",
                                       .description = "Values of environment variables are never shown.",
                                       .parameters = list_tasks::kParameters,
                                       .body = {},
                                       .response = R"({"$ref": "#/components/schemas/Tasks"})",
                                       .example = {},
                                       .problems = list_tasks::kProblems,
                                       .answer = list_tasks::answer};

}  // namespace sonde::api
