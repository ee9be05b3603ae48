#pragma once

#include <expected>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace sonde {

/// A failure reported to a person: what happened, where, and what to do next, in one sentence.
struct Error {
  std::string message;
};

/// The value, or the sentence that says why there is none.
template <typename T>
using Result = std::expected<T, Error>;

using Status = Result<void>;

/// Makes the failing side of a Result from a format string.
template <typename... Args>
[[nodiscard]] std::unexpected<Error> fail(fmt::format_string<Args...> text, Args&&... args) {
  return std::unexpected(Error{fmt::format(text, std::forward<Args>(args)...)});
}

}  // namespace sonde

/// Returns the error of a failed Result from the calling function. The name makes room for several in one scope.
#define SONDE_TRY(expr)                                        \
  do {                                                         \
    if (auto sonde_status = (expr); !sonde_status) {           \
      return std::unexpected(std::move(sonde_status).error()); \
    }                                                          \
  } while (false)
