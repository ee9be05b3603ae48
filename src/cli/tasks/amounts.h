#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"

/// Times and sizes as people write and read them.
namespace sonde::tasks {

/// Seconds of "90", "90s", "2h30m"; an error for what is not above zero.
[[nodiscard]] Result<double> parse_seconds(const std::string& text);

/// "0.4s", "12s", "3m12s", "2h05m", "3d04h"; "-" for what is not known.
[[nodiscard]] std::string seconds_text(std::optional<double> seconds);

/// "12.0 GiB", "512 MiB"; "-" for what is not known.
[[nodiscard]] std::string bytes_text(std::optional<int64_t> bytes);

/// A moment in the zone of this machine: the time alone where it is today's, else with its day. "-" for none.
[[nodiscard]] std::string moment_text_here(std::optional<double> moment_s, double now_s);

/// Seconds since 1970.
[[nodiscard]] double now_s();

}  // namespace sonde::tasks
