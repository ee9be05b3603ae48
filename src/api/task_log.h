#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/tasks.h"

namespace sonde::api {

/// A part of a task's output, as requested.
struct LogQuestion {
  int64_t task = 0;
  std::optional<int64_t> attempt = {};  ///< absent: the last one
  dispatch::LogStream stream = dispatch::LogStream::out;
  int64_t from = 0;  ///< negative: relative to the end
  int64_t max_bytes = 0;
};

/// The answer (schema TaskLog), and whether there is something in it that was not known before.
struct LogAnswer {
  Response response;
  bool has_news = true;  ///< text, the end, or a refusal
};
[[nodiscard]] LogAnswer log_answer(dispatch::Dispatcher& dispatcher, const LogQuestion& question);

/// Leaves away the part of a character at the end of a text that goes on, so that the next part begins with it whole.
[[nodiscard]] size_t whole_characters(std::string_view text);

}  // namespace sonde::api
