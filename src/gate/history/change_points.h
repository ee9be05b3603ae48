#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace sonde::gate {

struct ChangePointOptions {
  size_t window = 50;        ///< values that are searched at once; the next window begins half of it later
  double max_p = 0.001;      ///< a change with a larger p-value is none
  double min_magnitude = 0;  ///< as a share; a change that is smaller in both directions is none
};

/// Between value `index - 1` and value `index` the level of a series changes.
struct ChangePoint {
  size_t index = 0;
  double before = 0;  ///< mean from the change point before it (or the start)
  double after = 0;   ///< mean to the next one (or the end)
  double p = 1;       ///< that the two means differ so much by chance; 0 where both sides have no noise at all
};

/// Where the level of a series changes, by the method of Hunter (Fleming, Kołaczkowski, Kumar, Das, McCarthy, Pattabhi
/// and Ingo, "Hunter: Using Change Point Detection to Hunt for Performance Regressions", ICPE 2023), which Apache Otava
/// uses: windows are split where the energy statistic of E-divisive means (Matteson and James 2014) is largest as long
/// as a t-test calls the two sides different at ten times `max_p`; then the weakest of these weak change points is
/// taken away, its neighbours tested again over what they now divide, until all hold at `max_p` and `min_magnitude`. No
/// chance is in it: the same values give the same change points.
///
/// Other than there, the p-value of the second part is the largest that the t-test gives with any one value of the two
/// sides left out, so that no single outlier is a change; and windows are split as a tree, each part by itself.
///
/// `values` are finite, in order of time.
[[nodiscard]] std::vector<ChangePoint> change_points(std::span<const double> values, const ChangePointOptions& options);

/// p-value of Student's t-test with equal variances, two-sided, that the means of two sets differ. 1 where there are
/// fewer than three values or a set is empty; of sets without any noise 0 where they differ and 1 where they do not.
[[nodiscard]] double t_test(std::span<const double> a, std::span<const double> b);

/// The largest p-value of t_test() with any one value left out; 1 where none can be.
[[nodiscard]] double t_test_without_any_one(std::span<const double> a, std::span<const double> b);

}  // namespace sonde::gate
