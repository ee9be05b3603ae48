#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "trace/trace.h"

namespace sonde {

/// The part of a run that is looked at: events that lie wholly in [start, end], of one process where one is given.
struct Window {
  int64_t start_ns = std::numeric_limits<int64_t>::min();
  int64_t end_ns = std::numeric_limits<int64_t>::max();
  std::optional<ProcessId> process;
};

/// `[start]/[end]`, as in --filter-time: at least one of the two. See parse_duration() for the times.
[[nodiscard]] Result<Window> parse_window(std::string_view text);

/// RANGE[@DOMAIN][/INDEX], as in --filter-nvtx; '@', '/' and '\' in names are written with a '\' before them.
struct RangeSelector {
  std::string range;
  std::string domain;  ///< empty: the default domain
  size_t index = 0;    ///< which one of this name, by start, from 0
};

[[nodiscard]] Result<RangeSelector> parse_range_selector(std::string_view text);

/// The time of the selected range, and its process. The trace must not be linked yet or may be: only ranges are read.
[[nodiscard]] Result<Window> window_of(const Trace& trace, const RangeSelector& selector);

/// Drops the events outside of the window; before link().
void keep_window(Trace& trace, const Window& window);

}  // namespace sonde
