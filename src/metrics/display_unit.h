#pragma once

#include <string>
#include <string_view>

namespace sonde {

/// How ncu's option --print-units has it: `base` leaves values as they are, `automatic` gives them the largest prefix
/// that keeps them at 1 or more (1 Kbyte is 1000 bytes).
enum class PrintUnits { automatic, base };

struct ShownValue {
  std::string value;  ///< two decimals, none for a whole number; without thousands separators
  std::string unit;
};

/// A unit that values are shown in, and how many base units it is.
struct DisplayScale {
  std::string unit;
  double factor = 1;
};

/// The scale that ncu takes for a value. It also scales a unit below a byte, in the same direction: 2614 %/byte are
/// shown as 2.61 %/Kbyte.
[[nodiscard]] DisplayScale display_scale(double value, std::string_view base_unit, PrintUnits units);

/// A value in its base unit as ncu prints it: 6752 ns -> "6.75" "us", 345140000000 byte/s -> "345.14" "Gbyte/s".
[[nodiscard]] ShownValue shown_value(double value, std::string_view base_unit, PrintUnits units);

struct BaseValue {
  double factor = 1;  ///< what a printed value is multiplied with
  std::string unit;   ///< the base unit
};

/// What a unit that ncu prints means in base units, spellings of old versions included: "Mbyte" -> 10^6 "byte",
/// "cycle/nsecond" -> 10^9 "hz". A unit that it does not know is its own base.
[[nodiscard]] BaseValue base_of_unit(std::string_view unit);

}  // namespace sonde
