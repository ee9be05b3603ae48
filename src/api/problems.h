#pragma once

#include <expected>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "api/message.h"

namespace sonde::api {

/// A row of problems_en.inc.
struct ProblemRow {
  int status = 500;
  std::string_view code;
  std::string_view title;
  std::string_view detail;
};
[[nodiscard]] std::span<const ProblemRow> problem_rows();

/// The value, or the refusal that goes back to the caller.
template <typename T>
using Answered = std::expected<T, Response>;

/// The problem of that code, {names} in its detail filled in. A code that has no row is an internal error.
[[nodiscard]] Response refuse(std::string_view code,
                              std::initializer_list<std::pair<std::string_view, std::string_view>> arguments = {});

}  // namespace sonde::api
