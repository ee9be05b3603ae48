#include "gate/permutation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gate/random.h"
#include "gate/runs.h"

namespace sonde::gate {
namespace {

/// Sums that differ by less than this part are equal but for rounding, so that the count is the same everywhere.
constexpr double kRoundingOfSum = 1e-11;

constexpr int kHalvings = 45;  // of a bracket: to 1e-13 of its width

std::vector<std::vector<double>> subset_sums(std::span<const double> values) {
  std::vector<std::vector<double>> by_size(values.size() + 1);
  by_size[0] = {0};
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t size = i + 1; size > 0; --size) {
      for (const double without : by_size[size - 1]) by_size[size].push_back(without + values[i]);
    }
  }
  for (auto& sums : by_size) std::ranges::sort(sums);
  return by_size;
}

/// Pairs (x of `xs`, y of `ys`) with x + y * scale >= sum. Both ascend.
uint64_t pairs_at_least(const std::vector<double>& xs, const std::vector<double>& ys, double scale, double sum) {
  uint64_t pairs = 0;
  size_t fitting = 0;  // so many of the largest y
  for (const double x : xs) {
    while (fitting < ys.size() && x + ys[ys.size() - 1 - fitting] * scale >= sum) ++fitting;
    pairs += fitting;
  }
  return pairs;
}

double binomial(size_t n, size_t k) {
  double ways = 1;
  for (size_t i = 1; i <= k; ++i) ways = ways * static_cast<double>(n - k + i) / static_cast<double>(i);
  return std::round(ways);
}

double sum_of(std::span<const double> values) { return mean_of(values) * static_cast<double>(values.size()); }

}  // namespace

PermutationTest::PermutationTest(std::span<const double> base, std::span<const double> changed, uint64_t seed)
    : changed_runs_(changed.size()),
      base_total_(sum_of(base)),
      changed_total_(sum_of(changed)),
      ratio_(ratio_of_means(base, changed)),
      low_end_(std::ranges::min(changed) / std::ranges::max(base)),
      high_end_(std::ranges::max(changed) / std::ranges::min(base)) {
  if (std::max(base.size(), changed.size()) <= kMaxExact) {
    arrangements_ = binomial(base.size() + changed.size(), changed.size());
    sums_ = Exact{subset_sums(base), subset_sums(changed)};
  } else {
    draw(base, changed, seed);
  }
}

void PermutationTest::draw(std::span<const double> base, std::span<const double> changed, uint64_t seed) {
  // Whose run a place holds is shown by its sign: all values are above 0.
  std::vector<double> pool(base.begin(), base.end());
  for (const double v : changed) pool.push_back(-v);
  Random random(seed);
  std::vector<DrawnSums> drawn(kDraws);
  for (DrawnSums& sums : drawn) {
    random.choose(pool, changed.size());
    for (size_t i = 0; i < changed.size(); ++i) (pool[i] > 0 ? sums.from_base : sums.from_changed) += std::abs(pool[i]);
  }
  sums_ = std::move(drawn);
  arrangements_ = static_cast<double>(kDraws + 1);
}

double PermutationTest::count_at_least(const Exact& exact, double sum, double scale) const {
  uint64_t count = 0;
  for (size_t from_base = 0; from_base < exact.base.size() && from_base <= changed_runs_; ++from_base) {
    count += pairs_at_least(exact.base[from_base], exact.changed[changed_runs_ - from_base], scale, sum);
  }
  return static_cast<double>(count);
}

double PermutationTest::count_at_most(const Exact& exact, double sum, double scale) const {
  // All but those above: at least what is past rounding.
  const double past_rounding = sum + kRoundingOfSum * (base_total_ + changed_total_ * scale);
  return arrangements_ - count_at_least(exact, past_rounding, scale);
}

template <typename AsExtreme>
double PermutationTest::share_of_draws(double scale, AsExtreme as_extreme) const {
  const auto& drawn = std::get<std::vector<DrawnSums>>(sums_);
  const auto extreme = std::ranges::count_if(
      drawn, [&](const DrawnSums& sums) { return as_extreme(sums.from_base + sums.from_changed * scale); });
  // The measured arrangement is one of them (Phipson and Smyth 2010), so that p is never 0.
  return static_cast<double>(extreme + 1) / arrangements_;
}

double PermutationTest::p_above(double factor) const {
  const double scale = 1 / factor;
  const double sum = changed_total_ * scale - kRoundingOfSum * (base_total_ + changed_total_ * scale);
  if (const auto* exact = std::get_if<Exact>(&sums_)) return count_at_least(*exact, sum, scale) / arrangements_;
  return share_of_draws(scale, [sum](double drawn) { return drawn >= sum; });
}

double PermutationTest::p_below(double factor) const {
  const double scale = 1 / factor;
  const double sum = changed_total_ * scale;
  if (const auto* exact = std::get_if<Exact>(&sums_)) return count_at_most(*exact, sum, scale) / arrangements_;
  const double most = sum + kRoundingOfSum * (base_total_ + changed_total_ * scale);
  return share_of_draws(scale, [most](double drawn) { return drawn <= most; });
}

double PermutationTest::smallest_p() const { return 1 / arrangements_; }

double PermutationTest::lower_bound(double p) const {
  double low = low_end_ * (1 - 1e-9);
  if (p_above(low) > p) return 0;
  double high = high_end_ * (1 + 1e-9);
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (p_above(middle) <= p ? low : high) = middle;
  }
  return low;
}

double PermutationTest::upper_bound(double p) const {
  double high = high_end_ * (1 + 1e-9);
  if (p_below(high) > p) return std::numeric_limits<double>::infinity();
  double low = low_end_ * (1 - 1e-9);
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (p_below(middle) <= p ? high : low) = middle;
  }
  return high;
}

RatioInterval PermutationTest::interval(double confidence) const {
  const double each = (1 - confidence) / 2;
  return {lower_bound(each), upper_bound(each)};
}

}  // namespace sonde::gate
