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

}  // namespace sonde
