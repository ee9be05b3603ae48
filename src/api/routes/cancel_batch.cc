#include <array>
#include <mutex>

#include <nlohmann/json.hpp>

#include "api/answers.h"
#include "api/tasks.h"

namespace sonde::api {
namespace cancel_batch {
namespace {

/// Waits for the answers of all tasks of a batch.
class Cancelling : public std::enable_shared_from_this<Cancelling> {
 public:
  Cancelling(dispatch::Dispatcher& dispatcher, dispatch::Batch batch, size_t tasks, Done done)
      : dispatcher_(dispatcher), batch_(std::move(batch)), left_(tasks), done_(std::move(done)) {}

  void take_result(const Result<bool>& cancelled) {
    {
      const std::lock_guard lock(mutex_);
      if (!cancelled) trouble_ = cancelled.error().message;
      if (--left_ > 0) return;
    }
    done_(made_by([all = shared_from_this()] { return all->response(); }));
  }

 private:
  [[nodiscard]] Response response() const {
    if (!trouble_.empty()) return refuse("not_saved", {{"what", trouble_}});
    const auto body = batch_body(dispatcher_, batch_);
    return body ? json_response(*body) : body.error();
  }

  dispatch::Dispatcher& dispatcher_;
  dispatch::Batch batch_;
  std::mutex mutex_;
  size_t left_;
  std::string trouble_;
  Done done_;
};

Response answer(const Call& call) {
  const auto asked = asked_batch(call);
  if (!asked) return asked.error();
  const auto& [dispatcher, batch] = *asked;
  if (call.caller.role < Role::admin && batch.submitted_by != call.caller.name) {
    return refuse("not_your_task", {{"what", fmt::format("Batch {}", batch.id)}, {"owner", batch.submitted_by}});
  }
  using dispatch::TaskState;
  const auto live = dispatcher->list({.states = {TaskState::blocked, TaskState::waiting, TaskState::running},
                                      .type = {},
                                      .submitted_by = {},
                                      .batch = batch.id,
                                      .max = static_cast<int64_t>(batch.tasks.size())});
  if (!live) return refuse("tasks_unreadable", {{"what", live.error().message}});
  if (live->empty()) {
    return refuse("batch_over", {{"id", std::to_string(batch.id)}, {"tasks", std::to_string(batch.tasks.size())}});
  }
  std::vector<int64_t> ids;
  for (const dispatch::Task& task : *live) ids.push_back(task.id);
  Response response;
  response.later = [at = dispatcher, batch = batch, ids, by = call.caller.name](const Done& done) {
    const auto all = std::make_shared<Cancelling>(*at, batch, ids.size(), done);
    for (const int64_t id : ids)
      at->cancel(id, by, [all](const Result<bool>& cancelled) { all->take_result(cancelled); });
  };
  return response;
}

constexpr std::array<std::string_view, 6> kProblems = {"unknown_batch",  "not_your_task", "batch_over",
                                                       "tasks_disabled", "not_saved",     "tasks_unreadable"};

}  // namespace
}  // namespace cancel_batch

extern const Route cancel_batch_route;
constinit const Route cancel_batch_route{.name = "cancel_batch",
                                         .method = Method::post,
                                         .path = "/api/v1/batches/{batch}/cancel",
                                         .role = Role::submit,
                                         .summary = "Cancel all unfinished tasks of a batch",
                                         .description = "Each task is cancelled as by `cancel_task`.",
                                         .parameters = {},
                                         .body = {},
                                         .response = R"({"$ref": "#/components/schemas/Batch"})",
                                         .example = {},
                                         .problems = cancel_batch::kProblems,
                                         .answer = cancel_batch::answer};

}  // namespace sonde::api
