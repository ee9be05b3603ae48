#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "trace/trace.h"

namespace sonde {

/// Rows of each event table, in the order of for_each_table().
[[nodiscard]] std::vector<size_t> row_counts(const Trace& trace);

/// Puts the rank that was read last, whose rows begin at `first`, on the clock of the first rank: by UTC where both
/// tell it, else so that both start with their first event, which the import log notes.
void align_last_rank(Trace& trace, const std::vector<size_t>& first);

/// Adds `offset` to the times of the last rank, whose rows begin at `first`.
void shift_last_rank(Trace& trace, const std::vector<size_t>& first, int64_t offset);

/// The time of a source's clock, where it counts from 1970: clocks since boot are recognized by their size.
[[nodiscard]] std::optional<int64_t> utc_of_clock(std::optional<int64_t> time_ns);

}  // namespace sonde
