#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace sonde::gate {

/// Fewer A/A runs do not tell how far equal code can differ.
inline constexpr size_t kFewestCalibrationRuns = 4;

/// How far two sides of the same program differ by chance: `part` (0.99: 99 of 100) of the comparisons of `base_runs`
/// with `changed_runs` runs, drawn without replacement from these, have a ratio no further from 1 than that, as a share
/// (0.01 is 1 %), in either direction. `centres`: one value above 0 for each run of the same program.
///
/// Where there are fewer than both sides together, halves are compared and the floor scaled by the square root of the
/// numbers of runs. Absent for fewer than kFewestCalibrationRuns.
[[nodiscard]] std::optional<double> noise_floor(std::span<const double> centres, size_t base_runs, size_t changed_runs,
                                                double part = 0.99, uint64_t seed = 1);

}  // namespace sonde::gate
