#pragma once

#include <algorithm>
#include <functional>
#include <span>

namespace sonde {

/// Index of the first of sorted values that is not below `value` by `projection`. Quick if it is shortly behind `near`,
/// and right if none before `near` is such a one.
template <typename T, typename Value, typename Projection = std::identity>
size_t lower_bound_near(std::span<const T> sorted, const Value& value, size_t near, Projection projection = {}) {
  size_t end = near;
  for (size_t step = 1; end < sorted.size() && std::invoke(projection, sorted[end]) < value; step *= 2) {
    near = end + 1;
    end += step;
  }
  const auto among = sorted.subspan(near, std::min(end, sorted.size()) - near);
  return near + static_cast<size_t>(std::ranges::lower_bound(among, value, {}, projection) - among.begin());
}

/// Index of the first of sorted values that is above `value` by `projection`. Quick if it is near `near`.
template <typename T, typename Value, typename Projection = std::identity>
size_t upper_bound_near(std::span<const T> sorted, const Value& value, size_t near, Projection projection = {}) {
  const auto is_above = [&](size_t i) { return value < std::invoke(projection, sorted[i]); };
  size_t first = near;  // none before it is above
  size_t end = near;    // all from it on are
  for (size_t step = 1; first > 0 && is_above(first - 1); step *= 2) {
    end = first - 1;
    first -= std::min(step, first);
  }
  for (size_t step = 1; end < sorted.size() && !is_above(end); step *= 2) {
    first = end + 1;
    end = std::min(end + step, sorted.size());
  }
  const auto among = sorted.subspan(first, end - first);
  return first + static_cast<size_t>(std::ranges::upper_bound(among, value, {}, projection) - among.begin());
}

}  // namespace sonde
