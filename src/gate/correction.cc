#include "gate/correction.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gate/permutation.h"

namespace sonde::gate {
namespace {

std::vector<size_t> ascending_order(std::span<const double> p_values) {
  std::vector<size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return p_values[i]; });
  return order;
}

}  // namespace

std::vector<double> holm(std::span<const double> p_values) {
  std::vector<double> adjusted(p_values.size());
  double most = 0;
  size_t left = p_values.size();
  for (const size_t i : ascending_order(p_values)) {
    most = std::max(most, std::min(1.0, static_cast<double>(left--) * p_values[i]));
    adjusted[i] = most;
  }
  return adjusted;
}

std::vector<double> benjamini_hochberg(std::span<const double> p_values) {
  std::vector<double> adjusted(p_values.size());
  const auto all = static_cast<double>(p_values.size());
  const std::vector<size_t> order = ascending_order(p_values);
  double least = 1;
  for (size_t rank = order.size(); rank > 0; --rank) {
    least = std::min(least, p_values[order[rank - 1]] * all / static_cast<double>(rank));
    adjusted[order[rank - 1]] = least;
  }
  return adjusted;
}

double smallest_p_of(size_t base_runs, size_t changed_runs) {
  if (std::max(base_runs, changed_runs) > PermutationTest::kMaxExact) return 1.0 / (PermutationTest::kDraws + 1);
  double arrangements = 1;
  for (size_t i = 1; i <= changed_runs; ++i) {
    arrangements *= static_cast<double>(base_runs + i) / static_cast<double>(i);
  }
  return 1 / std::round(arrangements);
}

bool needs_max_t(size_t tests, double smallest_p, double false_alarm_rate) {
  return smallest_p * static_cast<double>(tests) > false_alarm_rate;
}

}  // namespace sonde::gate
