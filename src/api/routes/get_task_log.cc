#include <array>

#include "api/answers.h"
#include "api/log_followers.h"
#include "api/task_log.h"
#include "base/text/decimal.h"

namespace sonde::api {
namespace get_task_log {
namespace {

constexpr int64_t kDefaultBytes = 65536;

LogQuestion question_of(const Call& call, int64_t task) {
  LogQuestion question;
  question.task = task;
  question.attempt = integer_of<int64_t>(call.query("attempt"));
  question.stream = call.query("stream") == "stderr" ? dispatch::LogStream::err : dispatch::LogStream::out;
  question.from = query_integer(call, "from", 0);
  question.max_bytes = query_integer(call, "limit", kDefaultBytes);
  return question;
}

Response answer(const Call& call) {
  const auto asked = asked_task(call);
  if (!asked) return asked.error();
  const LogQuestion question = question_of(call, asked->task.id);
  LogAnswer now = log_answer(*asked->dispatcher, question);
  if (now.has_news || call.query("follow") != "true") return std::move(now.response);
  Response response;
  response.is_only_waiting = true;
  response.later = [followers = call.services.followers, at = asked->dispatcher, question](const Done& done) {
    const auto look = [at, question](bool is_last) -> std::optional<Response> {
      LogAnswer found = log_answer(*at, question);
      if (!found.has_news && !is_last) return std::nullopt;
      return std::move(found.response);
    };
    followers->wait(look, done);
  };
  return response;
}

constexpr std::array kParameters = {
    Parameter{.name = "stream",
              .schema = R"({"type": "string", "enum": ["stdout", "stderr"]})",
              .description = "Default: `stdout`"},
    Parameter{.name = "attempt",
              .schema = R"({"type": "integer", "minimum": 1, "maximum": 1000000})",
              .description = "Default: the last attempt"},
    Parameter{.name = "from",
              .schema = R"({"type": "integer", "minimum": -1125899906842624, "maximum": 1125899906842624})",
              .description = "Byte offset to start from: `next` of the previous response; negative: relative to the "
                             "end. Default: the start"},
    Parameter{.name = "limit",
              .schema = R"({"type": "integer", "minimum": 4, "maximum": 1048576})",
              .description = "Maximum number of bytes; default: 65536"},
    Parameter{.name = "follow",
              .schema = R"({"type": "boolean"})",
              .description = "If there is no new output, wait for it for up to 30 s"},
};
constexpr std::array<std::string_view, 4> kProblems = {"unknown_task", "unknown_attempt", "tasks_disabled",
                                                       "tasks_unreadable"};

}  // namespace
}  // namespace get_task_log

extern const Route get_task_log_route;
constinit const Route get_task_log_route{.name = "get_task_log",
                                         .path = "/api/v1/tasks/{task}/log",
                                         .summary = "Output of a task",
                                         .description =
                                             "Every key may read it, so tasks must not print secrets. The middle of "
                                             "output longer than `sonde.tasks.output_limit` is dropped.",
                                         .parameters = get_task_log::kParameters,
                                         .body = {},
                                         .response = R"({"$ref": "#/components/schemas/TaskLog"})",
                                         .example = {},
                                         .problems = get_task_log::kProblems,
                                         .answer = get_task_log::answer};

}  // namespace sonde::api
