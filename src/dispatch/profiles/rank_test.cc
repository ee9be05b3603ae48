#include "dispatch/profiles/rank_test.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace sonde::dispatch::profiles {

double rank_deviations(std::span<const int64_t> values, std::span<const int64_t> others) {
  std::vector<std::pair<int64_t, bool>> all;
  for (const int64_t value : values) all.emplace_back(value, true);
  for (const int64_t value : others) all.emplace_back(value, false);
  std::ranges::sort(all);
  const auto own = static_cast<double>(values.size());
  const auto other = static_cast<double>(others.size());
  const double count = own + other;
  double rank_sum = 0;
  double ties = 0;
  for (size_t first = 0; first < all.size();) {
    size_t end = first;
    double owned = 0;
    for (; end < all.size() && all[end].first == all[first].first; ++end) owned += all[end].second ? 1 : 0;
    const auto equal = static_cast<double>(end - first);
    rank_sum += owned * (static_cast<double>(first) + (equal + 1) / 2);
    ties += equal * equal * equal - equal;
    first = end;
  }
  const double variance = count < 2 ? 0 : own * other / 12 * (count + 1 - ties / (count * (count - 1)));
  if (variance <= 0) return 0;
  const double wins = rank_sum - own * (own + 1) / 2;
  return (wins - own * other / 2) / std::sqrt(variance);
}

int64_t median(std::span<const int64_t> values) {
  std::vector<int64_t> sorted(values.begin(), values.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  return *middle;
}

}  // namespace sonde::dispatch::profiles
