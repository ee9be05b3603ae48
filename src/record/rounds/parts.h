#pragma once

#include <cstddef>
#include <functional>

#include "trace/trace.h"

/// A trace is made in parts, so that a recording may be larger than memory.
namespace sonde::record {

/// Takes the rows of a part, sorted, before they are cleared.
using PartTaker = std::function<void(const Trace&)>;

/// Rows of a part, about: some 5 MB.
inline constexpr size_t kPartRows = 50'000;

/// Rows of all event tables.
[[nodiscard]] size_t event_rows(const Trace& trace);

/// Gives the rows of all event tables away, and clears them.
void give_part(Trace& trace, const PartTaker& take);

}  // namespace sonde::record
