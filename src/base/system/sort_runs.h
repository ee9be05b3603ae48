#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <vector>

namespace sonde {

/// Sorts by `projection`, equal ones staying in the order they came in, what is a few sorted runs behind one another,
/// as tables put together are: by merging the runs. O(n log runs), with room for another n.
template <typename T, typename Projection>
void sort_runs(std::vector<T>& values, Projection projection) {
  std::vector<size_t> borders{0};
  for (size_t i = 1; i < values.size(); ++i) {
    if (std::invoke(projection, values[i]) < std::invoke(projection, values[i - 1])) borders.push_back(i);
  }
  if (borders.size() == 1) return;
  borders.push_back(values.size());
  std::vector<T> merged;
  while (borders.size() > 2) {
    merged.clear();
    merged.reserve(values.size());
    const auto at = [&](size_t border) {
      return values.begin() + static_cast<ptrdiff_t>(borders[std::min(border, borders.size() - 1)]);
    };
    std::vector<size_t> fewer{0};
    for (size_t run = 0; run + 1 < borders.size(); run += 2) {
      std::ranges::merge(at(run), at(run + 1), at(run + 1), at(run + 2), std::back_inserter(merged), {}, projection,
                         projection);
      fewer.push_back(merged.size());
    }
    values.swap(merged);
    borders = std::move(fewer);
  }
}

}  // namespace sonde
