#pragma once

#include <string>
#include <string_view>

#include "analyses/tables/table.h"
#include "base/error.h"

namespace sonde::gate {

/// A number with its unit, in the unit's base: nanoseconds, bytes, percent, or none for a count.
struct Amount {
  double number = 0;
  Unit unit = Unit::none;
};

/// "200 ms", "1.5us", "64 MB", "3 %", "12". Times: ns us ms s min. Bytes: B kB MB GB TB (of 1000; KB is kB) and KiB MiB
/// GiB TiB (of 1024). Not below zero.
[[nodiscard]] Result<Amount> parse_amount(std::string_view whole);

/// What a metric of this unit is written in: "a time such as 200 ms".
[[nodiscard]] std::string_view unit_example(Unit unit);

}  // namespace sonde::gate
