#pragma once

#include <cstdint>
#include <span>
#include <string_view>

/// When a cause's text may be used: each row of causes_en.inc states it, so that no text contradicts its figures.
namespace sonde::gate {

/// Which way a figure went from the base to the new side.
enum class Direction : uint8_t { down, even, up };

/// On which sides the cause's work is.
enum class Presence : uint8_t { base_only, new_only, both };

/// What is so of a cause.
struct CauseCase {
  Direction change = Direction::even;  ///< of GPU time
  Presence sides = Presence::both;
  Direction figure = Direction::even;  ///< of the counts (or times, or clocks) that the texts of its family print
  Direction each = Direction::even;    ///< of the mean duration of one operation

  friend bool operator==(const CauseCase&, const CauseCase&) = default;
};

/// A row of causes_en.inc. What is not stated may be anything.
struct CauseText {
  std::string_view id;
  std::string_view family;  ///< that the rule claims: the first row of it that holds gives the text
  std::string_view change;  ///< "longer", "shorter" or "any"
  std::string_view sides;   ///< "added", "removed", "both" or "any"
  std::string_view figure;  ///< "more", "fewer" or "any"
  std::string_view each;    ///< "longer", "shorter" or "any"
  std::string_view text;
};
[[nodiscard]] std::span<const CauseText> cause_texts();

/// Whether the row states nothing that is not so.
[[nodiscard]] bool holds(const CauseText& row, const CauseCase& of);

/// The first row of a family that holds. Each family ends with a row that always does.
[[nodiscard]] const CauseText& text_for(std::string_view family, const CauseCase& of);

/// Changes of less than a millionth are those of rounding.
[[nodiscard]] Direction direction(double base, double changed);

}  // namespace sonde::gate
