#include "gate/correction.h"

#include <algorithm>
#include <numeric>

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

}  // namespace sonde::gate
