#include "api/task_log.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/answers.h"

namespace sonde::api {
namespace {

using dispatch::LogPart;
using dispatch::LogStream;
using dispatch::Task;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Bytes of the character that begins with that one.
size_t length_of(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte >= 0xF0U) return 4;
  if (byte >= 0xE0U) return 3;
  return byte >= 0xC0U ? 2 : 1;
}

/// A part that begins in the middle of a character begins behind it, where only its begin was not asked for.
void begin_with_character(LogPart& part) {
  constexpr size_t kMax = 3;
  size_t skipped = 0;
  while (skipped < std::min(kMax, part.text.size()) && continues_character(part.text[skipped])) ++skipped;
  part.text.erase(0, skipped);
  part.from += static_cast<int64_t>(skipped);
}

void end_with_character(LogPart& part) {
  const size_t kept = whole_characters(part.text);
  if (part.is_whole || kept == 0) return;
  part.next -= static_cast<int64_t>(part.text.size() - kept);
  part.text.resize(kept);
}

std::string attempts_text(const Task& task) {
  const size_t count = task.attempts.size();
  if (count == 0) return "no attempt";
  return count == 1 ? "1 attempt" : fmt::format("{} attempts", count);
}

Response body_of(const LogQuestion& question, std::optional<int64_t> attempt, const LogPart& part) {
  using Json = nlohmann::ordered_json;
  return json_response({{"task", question.task},
                        {"attempt", attempt ? Json(*attempt) : Json(nullptr)},
                        {"stream", question.stream == LogStream::out ? "stdout" : "stderr"},
                        {"from", part.from},
                        {"next", part.next},
                        {"left_out_bytes", part.left_out_bytes},
                        {"whole", part.is_whole},
                        {"text", part.text}});
}

/// Of an attempt that has not begun: the next one is waited for, others are not there.
LogAnswer not_begun(const LogQuestion& question, const Task& task) {
  const auto begun = static_cast<int64_t>(task.attempts.size());
  const bool may_come = !dispatch::is_over(task.state) || begun == 0;
  if (question.attempt && (*question.attempt > begun + 1 || !may_come)) {
    return {.response = refuse("unknown_attempt", {{"id", std::to_string(task.id)},
                                                   {"attempts", attempts_text(task)},
                                                   {"attempt", std::to_string(*question.attempt)}})};
  }
  LogPart nothing;
  nothing.is_whole = dispatch::is_over(task.state);
  return {.response = body_of(question, std::nullopt, nothing), .has_news = nothing.is_whole};
}

std::string no_output(int64_t task, int64_t attempt) {
  return fmt::format("no output of attempt {} of task {}: the output was removed, or the attempt never started",
                     attempt, task);
}

}  // namespace

size_t whole_characters(std::string_view text) {
  constexpr size_t kLongest = 4;
  for (size_t back = 1; back <= std::min(kLongest, text.size()); ++back) {
    const char c = text[text.size() - back];
    if (continues_character(c)) continue;
    return length_of(c) > back ? text.size() - back : text.size();
  }
  return text.size();
}

LogAnswer log_answer(dispatch::Dispatcher& dispatcher, const LogQuestion& question) {
  const auto task = find_task(dispatcher, std::to_string(question.task));
  if (!task) return {.response = task.error()};
  const auto begun = static_cast<int64_t>(task->attempts.size());
  const int64_t attempt = question.attempt.value_or(begun);
  if (begun == 0 || attempt > begun) return not_begun(question, *task);
  auto found = dispatcher.executor().log(task->id, attempt, question.stream, question.from, question.max_bytes);
  if (!found) return {.response = refuse("tasks_unreadable", {{"what", found.error().message}})};
  const bool has_ended = task->attempts[static_cast<size_t>(attempt) - 1].ended_ns.has_value();
  if (!*found && has_ended) return {.response = refuse("tasks_unreadable", {{"what", no_output(task->id, attempt)}})};
  const int64_t from = std::max<int64_t>(question.from, 0);
  LogPart part = std::move(*found).value_or(LogPart{.text = {}, .from = from, .next = from});
  part.is_whole = part.is_whole && has_ended;  // which counts only once it is saved
  if (question.from < 0) begin_with_character(part);
  end_with_character(part);
  const bool has_news = !part.text.empty() || part.is_whole;
  return {.response = body_of(question, attempt, part), .has_news = has_news};
}

}  // namespace sonde::api
