#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "gate/arrangements.h"
#include "gate/correction.h"

namespace sonde::gate {
namespace {

/// Counts how often chance does as well as the measured arrangement, for each member with those less extreme.
class StepDown {
 public:
  explicit StepDown(const Arrangements& arrangements)
      : arrangements_(arrangements),
        measured_(arrangements.measured()),
        order_(measured_.size()),
        counts_(measured_.size()) {
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::ranges::stable_sort(order_, std::greater<>(), [&](size_t m) { return measured_[m]; });
  }

  void add(std::span<const size_t> changed_side) {
    arrangements_.t_of(changed_side, t_);
    double largest = -std::numeric_limits<double>::infinity();
    for (size_t rank = order_.size(); rank > 0; --rank) {
      const size_t member = order_[rank - 1];
      largest = std::max(largest, t_[member]);
      const double needed = measured_[member] - kRoundingOfT * std::abs(measured_[member]);
      counts_[member] += largest >= needed ? 1 : 0;
    }
    ++all_;
  }

  /// `extra`: arrangements that count as extreme beside those added.
  [[nodiscard]] std::vector<double> adjusted(size_t extra) const {
    std::vector<double> p(order_.size());
    double most = 0;
    for (const size_t member : order_) {
      most = std::max(most, static_cast<double>(counts_[member] + extra) / static_cast<double>(all_ + extra));
      p[member] = most;
    }
    return p;
  }

 private:
  const Arrangements& arrangements_;
  std::vector<double> measured_;
  std::vector<size_t> order_;  ///< the most extreme member first
  std::vector<size_t> counts_;
  std::vector<double> t_;
  size_t all_ = 0;
};

}  // namespace

std::vector<double> max_t(std::span<const FamilyMember> family, uint64_t seed, size_t most_arrangements) {
  if (family.empty()) return {};
  const Arrangements arrangements(family);
  StepDown counted(arrangements);
  const size_t extra = for_each_arrangement(arrangements.runs(), arrangements.on_changed_side(), seed,
                                            most_arrangements, [&](auto choice) { counted.add(choice); });
  return counted.adjusted(extra);
}

}  // namespace sonde::gate
