#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace sonde::gate {

/// Both ends of a ratio changed / base. 0 and infinity where there are too few runs for the level.
struct RatioInterval {
  double low = 0;
  double high = 0;
};

/// Permutation test over runs of the ratio of the sides' means (Fisher 1935): had the change no effect but to multiply
/// by `factor`, then which run belongs to which side, once that is undone, would be chance. It asks nothing of the
/// distribution but that the runs of both sides were made under the same conditions in random or interleaved order.
///
/// Up to kMaxExact runs a side all arrangements are counted; beyond that kDraws drawn ones, from the seed.
class PermutationTest {
 public:
  static constexpr size_t kMaxExact = 14;    ///< 2^14 sums a side: a millisecond
  static constexpr size_t kDraws = 100'000;  ///< 1 / kDraws is below 0.01 over 200 kernels

  /// One value a run, at least one a side, all above 0.
  PermutationTest(std::span<const double> base, std::span<const double> changed, uint64_t seed);

  /// One-sided p-value of the hypothesis "at most `factor` times the base": small where it is more.
  [[nodiscard]] double p_above(double factor) const;
  /// Of the hypothesis "at least `factor` times the base": small where it is less.
  [[nodiscard]] double p_below(double factor) const;
  /// What no p-value of so few runs can be below: 1 / arrangements.
  [[nodiscard]] double smallest_p() const;

  [[nodiscard]] double ratio() const { return ratio_; }

  /// The highest factor of which p_above is at most `p`: the ratio is above it with confidence 1 - p. 0 where no
  /// p-value is so small.
  [[nodiscard]] double lower_bound(double p) const;
  /// The lowest factor of which p_below is at most `p`; infinity where no p-value is so small.
  [[nodiscard]] double upper_bound(double p) const;
  /// Both bounds, each with half of 1 - `confidence`.
  [[nodiscard]] RatioInterval interval(double confidence) const;

 private:
  /// Sums of all subsets of a side by size of the subset, ascending.
  using SubsetSums = std::vector<std::vector<double>>;
  struct Exact {
    SubsetSums base;
    SubsetSums changed;
  };
  /// Of each drawn arrangement: what stands on the changed side, from both sides.
  struct DrawnSums {
    double from_base = 0;
    double from_changed = 0;
  };

  [[nodiscard]] double count_at_least(const Exact& exact, double sum, double scale) const;
  [[nodiscard]] double count_at_most(const Exact& exact, double sum, double scale) const;
  template <typename AsExtreme>
  [[nodiscard]] double share_of_draws(double scale, AsExtreme as_extreme) const;
  void draw(std::span<const double> base, std::span<const double> changed, uint64_t seed);

  size_t changed_runs_ = 0;
  double base_total_ = 0;
  double changed_total_ = 0;
  double ratio_ = 0;
  double low_end_ = 0;   ///< below it each scaled changed run is above each base run
  double high_end_ = 0;  ///< above it the other way round
  double arrangements_ = 0;
  std::variant<Exact, std::vector<DrawnSums>> sums_;
};

}  // namespace sonde::gate
