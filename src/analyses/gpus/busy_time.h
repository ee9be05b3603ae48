#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sonde {

/// A span of time [first, second) in nanoseconds.
using Span = std::pair<int64_t, int64_t>;

/// The time that is covered by at least one of the spans. Sorts them.
[[nodiscard]] int64_t union_ns(std::vector<Span>& spans);

/// Sorts the spans and joins those that overlap or touch.
void merge_spans(std::vector<Span>& spans);

/// The time that both cover; each sorted and without overlaps in itself.
[[nodiscard]] int64_t overlap_ns(std::span<const Span> a, std::span<const Span> b);

/// The parts of `span` that none of `covering` covers; these are merged.
[[nodiscard]] std::vector<Span> uncovered_parts(Span span, std::span<const Span> covering);

/// What lies within `extent` of spans that are merged.
[[nodiscard]] int64_t covered_ns(Span extent, std::span<const Span> spans);

/// The sum of the lengths of spans that do not overlap.
[[nodiscard]] int64_t total_ns(std::span<const Span> spans);

}  // namespace sonde
