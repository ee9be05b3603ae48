#include "base/text/suggest.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>

namespace sonde {
namespace {

/// Levenshtein distance, one row at a time.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string_view> nearest(std::string_view name, std::span<const std::string_view> known) {
  const size_t limit = std::max<size_t>(2, name.size() / 3);
  std::optional<std::string_view> best;
  size_t best_distance = limit + 1;
  for (const std::string_view candidate : known) {
    // So many characters are added or left out at least. A name that somebody sends may be long, and the distance takes
    // the product of the lengths.
    const size_t least = std::max(name.size(), candidate.size()) - std::min(name.size(), candidate.size());
    if (least >= best_distance) continue;
    const size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> known) {
  const auto best = nearest(name, known);
  return best ? fmt::format(", did you mean '{}'?", *best) : std::string();
}

}  // namespace sonde
