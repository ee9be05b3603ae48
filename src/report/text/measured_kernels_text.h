#pragma once

#include <cstddef>
#include <string>

#include "findings/rule.h"
#include "report/tables/table_format.h"

/// Kernel reports for people, as `sonde why` and `sonde summary` print them.
namespace sonde {

/// What was judged: "kernels.ncu-rep: 8 launches of 2 kernels, 2.74 ms measured on NVIDIA A100".
[[nodiscard]] std::string measured_heading(const Facts& facts);

/// A line each: share, time, launches, bound, the finding that saves most of its time. At most `most` kernels.
[[nodiscard]] std::string measured_kernels_text(const Facts& facts, const Diagnosis& diagnosis, size_t most,
                                                size_t width);

/// Both, on one screen.
[[nodiscard]] std::string measured_summary_text(const Facts& facts, const Diagnosis& diagnosis,
                                                const RenderOptions& options);

}  // namespace sonde
