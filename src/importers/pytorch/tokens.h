#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "trace/events.h"

/// Values from the raw JSON tokens of an event. Numbers may be in quotes.
namespace sonde::pytorch {

/// A whole number; those above int64 (addresses, CUPTI's unsigned -1) keep their 64 bits.
[[nodiscard]] std::optional<int64_t> whole(std::string_view token);

/// kUnknown32 where there is none or it does not fit.
[[nodiscard]] int32_t whole32(std::string_view token);

/// An id below kNone.
[[nodiscard]] uint32_t id32(std::string_view token, uint32_t otherwise);

/// Microseconds as text to nanoseconds. Times further from 0 than year 2096 are none: with this bound, sums and
/// differences of times stay in int64.
[[nodiscard]] std::optional<int64_t> time_of(std::string_view token);

/// The end of an event of this duration, within the same bound.
[[nodiscard]] std::optional<int64_t> end_of(int64_t start, std::string_view duration);

/// "[64, 1, 1]"; zeros where it is something else.
[[nodiscard]] Dim3 dimensions(std::string_view token);

/// The number at the end of "stream 7", else -1.
[[nodiscard]] int64_t trailing_number(std::string_view token);

}  // namespace sonde::pytorch
