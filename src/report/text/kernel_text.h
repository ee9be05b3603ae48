#pragma once

#include <span>
#include <string>

#include "report/kernel_pages/kernel_page.h"

namespace sonde {

/// "  name (grid)x(block), Context 1, Stream 7, Device 0, CC 8.6", as ncu heads a kernel; lines with its ID and, where
/// ranges were open, "NVTX: domain: range/range".
[[nodiscard]] std::string kernel_heading(const Trace& trace, const KernelProfile& kernel);
/// A table of names, units and values between rules, as ncu prints a section.
[[nodiscard]] std::string metric_lines(std::span<const ShownMetric> metrics);
/// A text broken between words at `width` characters; each line begins with `indent` blanks, the first with `head`.
[[nodiscard]] std::string wrapped(std::string_view head, size_t indent, std::string_view text, size_t width);

}  // namespace sonde
