#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "api/api.h"
#include "api/problems.h"
#include "dispatch/submission.h"

/// What the calls of tasks have in common.
namespace sonde::api {

using Done = std::function<void(Response)>;

/// An answer that is made on a thread of the server's once something was told on the dispatcher's, which must not wait
/// for the dispatcher.
[[nodiscard]] Response made_by(std::function<Response()> make);

/// The dispatcher, or why there is none.
[[nodiscard]] Answered<dispatch::Dispatcher*> dispatcher_of(const Services& services);

/// A refusal of the dispatcher as a problem; a code without a row is an internal error.
[[nodiscard]] Response refusal_response(const dispatch::Refused& refused);

/// The task or batch that a path names.
[[nodiscard]] Answered<dispatch::Task> find_task(dispatch::Dispatcher& dispatcher, const std::string& id);
[[nodiscard]] Answered<dispatch::Batch> find_batch(dispatch::Dispatcher& dispatcher, const std::string& id);

/// The task or batch that a call is about, and the dispatcher that has it.
struct AskedTask {
  dispatch::Dispatcher* dispatcher = nullptr;
  dispatch::Task task;
};
struct AskedBatch {
  dispatch::Dispatcher* dispatcher = nullptr;
  dispatch::Batch batch;
};
[[nodiscard]] Answered<AskedTask> asked_task(const Call& call);
[[nodiscard]] Answered<AskedBatch> asked_batch(const Call& call);
/// Of calls that only read a task.
inline constexpr std::array<std::string_view, 3> kAskedTaskProblems = {"unknown_task", "tasks_disabled",
                                                                       "tasks_unreadable"};

/// With the states of its tasks.
[[nodiscard]] Answered<nlohmann::ordered_json> batch_body(dispatch::Dispatcher& dispatcher,
                                                          const dispatch::Batch& batch);

/// What the body asks for (schema TaskSubmission), of that caller.
[[nodiscard]] Answered<dispatch::Submission> submission_of(const nlohmann::json& body, const Caller& caller);

/// The text of the header Idempotency-Key; empty without one.
[[nodiscard]] Answered<std::string> idempotency_key(const Request& request);
inline constexpr Parameter kIdempotencyKey = {
    .name = "Idempotency-Key",
    .schema = R"({"type": "string", "minLength": 1, "maxLength": 200})",
    .description =
        "a string chosen by the client for this submission; if the request is repeated with the same string and API "
        "key, nothing new is created and the response is 200 with the existing task or batch"};

/// Whether one is what the other was, submitted again.
[[nodiscard]] bool same_submission(const dispatch::TaskSpec& a, const dispatch::TaskSpec& b);

}  // namespace sonde::api
