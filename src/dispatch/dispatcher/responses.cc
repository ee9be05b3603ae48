#include "dispatch/dispatcher/responses.h"

namespace sonde::dispatch {

void Responses::refuse(const Submitted& answered, Refused why) {
  add([answered, why = std::move(why)] { answered(std::unexpected(why)); });
}

void Responses::saved() {
  for (Submission& submission : std::exchange(submissions_, {})) {
    const Made made{.id = submission.id, .is_new = !submission.tasks.empty()};
    add([answered = std::move(submission.answered), made] { answered(made); });
  }
  for (Cancellation& cancellation : std::exchange(cancellations_, {})) {
    add([answered = std::move(cancellation.answered), done = cancellation.done] { answered(done); });
  }
  clear_keys();
}

std::vector<Responses::Submission> Responses::take_unsaved() {
  clear_keys();
  return std::exchange(submissions_, {});
}

void Responses::fail_cancellations(const std::string& error) {
  for (const Cancellation& cancellation : std::exchange(cancellations_, {})) {
    add([cancellation, error] {
      if (!cancellation.done) return cancellation.answered(false);
      cancellation.answered(
          fail("task {} is being cancelled, but that cannot be saved yet: {}", cancellation.task, error));
    });
  }
}

void Responses::send() {
  for (const auto& response : std::exchange(ready_, {})) response();
}

void Responses::clear_keys() {
  task_keys_.clear();
  batch_keys_.clear();
}

}  // namespace sonde::dispatch
