#pragma once

#include <cstdint>
#include <span>
#include <vector>

/// p-values of many tests made comparable with one level: a test is found where its adjusted p-value is at most that.
namespace sonde::gate {

/// The rate of any false alarm at all is held (Holm 1979), whatever the tests have in common. For the gate.
[[nodiscard]] std::vector<double> holm(std::span<const double> p_values);

/// The share of false ones among those found is held (Benjamini and Hochberg 1995), for independent or positively
/// dependent tests. For reports.
[[nodiscard]] std::vector<double> benjamini_hochberg(std::span<const double> p_values);

/// One metric of a family: a value a run, scaled so that "no worse" means changed <= base.
struct FamilyMember {
  std::vector<double> base;
  std::vector<double> changed;
};

/// As holm(), by the largest t of each arrangement of the runs (Westfall and Young 1993, step down): what the tests
/// have in common is used, and the smallest p-value is 1 / arrangements however many tests there are. So five runs a
/// side are enough for hundreds of kernels, for which Holm's needs ten. One-sided: small where changed is more. All
/// members have the same runs in the same order, at least two a side. Up to kMaxArrangements all arrangements are
/// taken, beyond that so many drawn ones.
[[nodiscard]] std::vector<double> max_t(std::span<const FamilyMember> family, uint64_t seed,
                                        size_t most_arrangements = 200'000);

/// What no p-value of a permutation test of so many runs can be below: 1 / arrangements.
[[nodiscard]] double smallest_p_of(size_t base_runs, size_t changed_runs);

/// Whether judge() corrects by max_t(): where Holm's method could find nothing, since the smallest p-value that the
/// runs can give is too large for so many tests. It depends on these numbers alone, not on what was measured.
[[nodiscard]] bool needs_max_t(size_t tests, double smallest_p, double false_alarm_rate);

}  // namespace sonde::gate
