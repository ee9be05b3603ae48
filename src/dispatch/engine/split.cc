#include "dispatch/engine/split.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sonde::dispatch {
namespace {

/// Parts whose share is below the least get that; what is left is shared again among the others.
std::vector<bool> raised_parts(int64_t tasks, int64_t min, std::span<const double> speeds) {
  std::vector<bool> is_raised(speeds.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    auto left = static_cast<double>(tasks);
    double speed = 0;
    for (size_t i = 0; i < speeds.size(); ++i) {
      if (is_raised[i])
        left -= static_cast<double>(min);
      else
        speed += speeds[i];
    }
    for (size_t i = 0; i < speeds.size(); ++i) {
      if (is_raised[i] || left * speeds[i] / speed >= static_cast<double>(min)) continue;
      is_raised[i] = true;
      changed = true;
    }
  }
  return is_raised;
}

}  // namespace

size_t gpus_of_split(int64_t tasks, int64_t min, size_t eligible) {
  min = std::max<int64_t>(1, min);
  if (tasks < 2 * min) return 1;
  return std::max<size_t>(1, std::min(eligible, static_cast<size_t>(tasks / min)));
}

std::vector<int64_t> sizes_of_split(int64_t tasks, int64_t min, std::span<const double> speeds) {
  const std::vector<bool> is_raised = raised_parts(tasks, min, speeds);
  int64_t left = tasks;
  double speed = 0;
  for (size_t i = 0; i < speeds.size(); ++i) {
    if (is_raised[i])
      left -= min;
    else
      speed += speeds[i];
  }
  std::vector<int64_t> sizes(speeds.size(), min);
  std::vector<double> remainder(speeds.size(), -1);
  int64_t given = 0;
  for (size_t i = 0; i < speeds.size(); ++i) {
    if (is_raised[i]) continue;
    const double share = static_cast<double>(left) * speeds[i] / speed;
    sizes[i] = static_cast<int64_t>(std::floor(share));
    remainder[i] = share - std::floor(share);
    given += sizes[i];
  }
  std::vector<size_t> order(speeds.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater(), [&](size_t i) { return remainder[i]; });
  for (size_t i = 0; given < left && !order.empty(); ++i, ++given) sizes[order[i % order.size()]] += 1;
  return sizes;
}

std::vector<size_t> parts_in_turn(std::span<const int64_t> sizes) {
  const int64_t all = std::reduce(sizes.begin(), sizes.end(), int64_t{0});
  std::vector<int64_t> credit(sizes.size(), 0);
  std::vector<size_t> parts;
  for (int64_t task = 0; task < all; ++task) {
    for (size_t i = 0; i < sizes.size(); ++i) credit[i] += sizes[i];
    const auto next = static_cast<size_t>(std::ranges::max_element(credit) - credit.begin());
    credit[next] -= all;
    parts.push_back(next);
  }
  return parts;
}

}  // namespace sonde::dispatch
