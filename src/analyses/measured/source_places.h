#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace sonde {

/// Where a kernel is: a source line, or an instruction where no line is known.
struct SourcePlace {
  NameId file = kNone;
  uint32_t line = 0;
  uint64_t address = 0;  ///< of the first instruction; 0 for a line
  auto operator<=>(const SourcePlace&) const = default;
};

/// Calls `f` with each part of a metric that was counted by instruction. No calls for nullptr.
void for_each_place(const Trace& trace, const KernelProfile& kernel, const Metric* metric,
                    const std::function<void(const SourcePlace&, double)>& f);

/// "kernels/sum.cu:12", else the instruction's offset in its function: "+0x40".
[[nodiscard]] std::string place_text(const Trace& trace, const KernelProfile& kernel, const SourcePlace& place);

struct HottestLine {
  std::string place;
  double percent = 0;  ///< of the counter's sum
};

/// The source line with most of a counter. Absent where it was not counted by instruction, or no line is known.
[[nodiscard]] std::optional<HottestLine> hottest_line(const Trace& trace, const KernelProfile& kernel,
                                                      std::string_view counter);

}  // namespace sonde
