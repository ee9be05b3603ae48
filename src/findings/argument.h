#pragma once

#include <string>
#include <utility>

#include "analyses/tables/table.h"

namespace sonde {

/// A named argument of a text, as a number with a unit or as a text. Renderers print it for people or for machines.
struct Argument {
  std::string name;
  Unit unit = Unit::none;
  double number = 0;
  std::string text;  ///< used instead of the number unless it is empty
};

template <typename Number>
[[nodiscard]] Argument number_argument(std::string name, Unit unit, Number number) {
  return {std::move(name), unit, static_cast<double>(number), {}};
}
/// A number without a unit: "count", 12.
template <typename Number>
[[nodiscard]] Argument count_argument(std::string name, Number count) {
  return number_argument(std::move(name), Unit::none, count);
}
template <typename Number>
[[nodiscard]] Argument duration_argument(std::string name, Number ns) {
  return number_argument(std::move(name), Unit::nanoseconds, ns);
}
template <typename Number>
[[nodiscard]] Argument bytes_argument(std::string name, Number bytes) {
  return number_argument(std::move(name), Unit::bytes, bytes);
}
[[nodiscard]] inline Argument percent_argument(std::string name, double percent) {
  return number_argument(std::move(name), Unit::percent, percent);
}
/// In GB/s, which are bytes per nanosecond.
[[nodiscard]] inline Argument rate_argument(std::string name, double gigabytes_per_second) {
  return number_argument(std::move(name), Unit::gigabytes_per_second, gigabytes_per_second);
}
[[nodiscard]] inline Argument text_argument(std::string name, std::string text) {
  return {std::move(name), Unit::none, 0, std::move(text)};
}

}  // namespace sonde
