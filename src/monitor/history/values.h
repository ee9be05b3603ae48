#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string_view>

#include "monitor/sample.h"

/// The rows of values.inc as code.
namespace sonde::monitor::history {

enum class ValuePlace : size_t {
#define SONDE_HISTORY_VALUE(number, name, unit, scale, description) name,
#include "monitor/history/values.inc"
  end
};
inline constexpr auto kValues = static_cast<size_t>(ValuePlace::end);

inline constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();
/// In the order of values.inc; NaN where the GPU does not give it.
using Values = std::array<float, kValues>;

/// Values of a sample. Shares of time are made of counters, which needs the sample `before` and `elapsed_ns` since
/// then.
[[nodiscard]] Values values_of(const device::GpuReading& reading, const device::GpuReading* before, int64_t elapsed_ns);

/// Place in the order of values.inc; absent for a name that is not there.
[[nodiscard]] std::optional<size_t> find_value(std::string_view name);

struct Stored {
  int64_t number = 0;
  double scale = 1;
};
[[nodiscard]] const Stored& stored(size_t value);
/// The place of a number in the database; absent for one of a newer version.
[[nodiscard]] std::optional<size_t> value_of_number(int64_t number);

}  // namespace sonde::monitor::history
