#include "gate/difference/cause_case.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace sonde::gate {
namespace {

constexpr auto kCauseTexts = std::to_array<CauseText>({
#define SONDE_CAUSE(id, family, change, sides, figure, each, text) \
  {#id, #family, #change, #sides, #figure, #each, text},
#define SONDE_TEXT(id, text)
#include "gate/difference/causes_en.inc"
#undef SONDE_TEXT
#undef SONDE_CAUSE
});

bool goes(std::string_view word, Direction direction) {
  if (word == "longer" || word == "more") return direction == Direction::up;
  if (word == "shorter" || word == "fewer") return direction == Direction::down;
  return true;
}

bool is_on(std::string_view word, Presence sides) {
  if (word == "added") return sides == Presence::new_only;
  if (word == "removed") return sides == Presence::base_only;
  return word == "any" || sides == Presence::both;
}

}  // namespace

std::span<const CauseText> cause_texts() { return kCauseTexts; }

bool holds(const CauseText& row, const CauseCase& of) {
  return goes(row.change, of.change) && is_on(row.sides, of.sides) && goes(row.figure, of.figure) &&
         goes(row.each, of.each);
}

const CauseText& text_for(std::string_view family, const CauseCase& of) {
  const auto* const found =
      std::ranges::find_if(kCauseTexts, [&](const CauseText& row) { return row.family == family && holds(row, of); });
  assert(found != kCauseTexts.end());
  return *found;
}

Direction direction(double base, double changed) {
  constexpr double kLeastPart = 1e-6;
  const double difference = changed - base;
  if (std::abs(difference) <= kLeastPart * std::max(std::abs(base), std::abs(changed))) return Direction::even;
  return difference > 0 ? Direction::up : Direction::down;
}

}  // namespace sonde::gate
