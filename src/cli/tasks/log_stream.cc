#include "cli/tasks/log_stream.h"

#include <unistd.h>

#include "cli/tasks/amounts.h"
#include "cli/tasks/interrupt.h"
#include "cli/tasks/task_text.h"
#include "cli/tasks/wait.h"

namespace sonde::tasks {
namespace {

/// The service answers within 30 s, also where there is nothing new.
constexpr std::chrono::seconds kPatience{60};

int64_t attempts_of(const Json& task) { return whole_of(last_attempt(task), "number").value_or(0); }

}  // namespace

LogStream::LogStream(Connection& connection, LogChoice choice)
    : connection_(connection), choice_(std::move(choice)), to_terminal_(isatty(STDOUT_FILENO) != 0) {}

Status LogStream::show() {
  const Status shown = choice_.follow ? follow() : show_now();
  if (to_terminal_) fmt::print("{}", cleaner_.end());
  std::fflush(stdout);
  return shown;
}

Status LogStream::show_now() {
  auto task = connection_.get(fmt::format("/api/v1/tasks/{}", choice_.task));
  if (!task) return std::unexpected(task.error());
  task_ = std::move(*task);
  attempt_ = choice_.attempt.value_or(attempts_of(task_));
  if (attempt_ == 0) {
    fmt::print(stderr, "sonde: {} was not started and has no output; `sonde explain {}` explains why\n",
               title_of(task_), choice_.task);
    return {};
  }
  from_ = -choice_.tail.value_or(0);
  while (true) {
    const int64_t before = from_;
    const auto part = next_part(false);
    if (!part) return std::unexpected(part.error());
    if (flag_of(*part, "whole") || (from_ == before) || raw_text(*part, "text").empty()) return {};
  }
}

Status LogStream::follow() {
  from_ = -choice_.tail.value_or(0);
  while (true) {
    const int64_t wanted = choice_.attempt.value_or(attempt_ + 1);
    auto task = wait_for_task(connection_, choice_.task, false,
                              [&](const Json& now) { return is_over(now) || attempts_of(now) >= wanted; });
    if (!task) return std::unexpected(task.error());
    task_ = std::move(*task);
    const int64_t last = choice_.attempt.value_or(attempts_of(task_));
    if (last <= attempt_) return {};  // all is shown
    if (attempt_ > 0) fmt::print(stderr, "sonde: {} is retried: attempt {}\n", title_of(task_), last);
    attempt_ = last;
    SONDE_TRY(follow_attempt());
    from_ = 0;
  }
}

Status LogStream::follow_attempt() {
  while (true) {
    const auto part = next_part(true);
    if (!part) return std::unexpected(part.error());
    if (Interrupt::came()) return fail("interrupted");
    if (flag_of(*part, "whole")) return {};
  }
}

Result<Json> LogStream::next_part(bool wait) {
  auto part =
      connection_.call({.path = fmt::format("/api/v1/tasks/{}/log?stream={}&attempt={}&from={}&limit=1048576{}",
                                            choice_.task, choice_.stream, attempt_, from_, wait ? "&follow=true" : ""),
                        .waits_for_service = wait,
                        .patience = kPatience});
  if (part) write(*part);
  return part;
}

void LogStream::write(const Json& part) {
  const std::string text = raw_text(part, "text");
  if (const auto left_out = whole_of(part, "left_out_bytes"); left_out && *left_out > 0) {
    std::fflush(stdout);
    fmt::print(stderr, "sonde: [{} left out: the output exceeds sonde.tasks.output_limit]\n", bytes_text(left_out));
  }
  const std::string shown = to_terminal_ ? cleaner_.clean(text) : text;
  std::fwrite(shown.data(), 1, shown.size(), stdout);
  std::fflush(stdout);
  from_ = whole_of(part, "next").value_or(from_);
}

}  // namespace sonde::tasks
