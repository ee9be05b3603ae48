#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "monitor/history/values.h"

#include "base/time_units.h"

namespace sonde::monitor::history {

/// What a value did within some time. Nothing where `count` is 0.
struct Summary {
  double minimum = 0;
  double maximum = 0;
  double sum = 0;
  int64_t count = 0;

  void add(double value);
  void add(const Summary& other);
};

/// All values of a GPU within a minute.
struct Minute {
  int64_t minute = 0;  ///< since 1970
  std::array<Summary, kValues> values;

  void add(const Values& sample);
  void add(const Minute& other);
};

/// A minute in few bytes: the number of samples; then for each value that is there its number, minimum, mean and
/// maximum by its scale, as differences, in integers of variable length. What stays the same within the minute stands
/// once.
[[nodiscard]] std::string pack(const Minute& minute);
/// Absent where the bytes are none of pack()'s. Values of newer versions are left out.
[[nodiscard]] std::optional<Minute> unpack(int64_t minute, std::string_view bytes);

}  // namespace sonde::monitor::history
