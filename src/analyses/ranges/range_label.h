#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyses/tables/grouping.h"
#include "trace/trace.h"

namespace sonde {

/// What a range is called in the reports: "domain:text". NVTX's default domain has an empty name: ":text".
struct RangeLabel {
  NameId domain = kNone;
  NameId text = kNone;

  friend bool operator==(const RangeLabel&, const RangeLabel&) = default;
  friend size_t hash_value(const RangeLabel& label) {
    return boost::hash<std::pair<NameId, NameId>>()({label.domain, label.text});
  }
  [[nodiscard]] std::string text_of(const Trace& trace) const;
};

[[nodiscard]] RangeLabel label_of_range(const Trace& trace, Row range);

/// Nsight's word for a range's style: PushPop or StartEnd.
[[nodiscard]] std::string_view style_word(uint8_t style);

[[nodiscard]] inline bool is_push_pop(const Ranges& ranges, Row row) {
  return ranges.style[row] == static_cast<uint8_t>(RangeStyle::push_pop);
}

/// False for a range that was open when the recording ended: it has no duration to sum.
[[nodiscard]] inline bool is_closed(const Ranges& ranges, Row row) { return ranges.end[row] != kUnknown; }

/// A closed push/pop range that the program or its framework named, not a frame of Python's call stack.
[[nodiscard]] inline bool is_named_scope(const Trace& trace, Row row) {
  const Ranges& r = trace.ranges;
  return is_push_pop(r, row) && is_closed(r, row) && trace.domains[r.domain[row]].kind != DomainKind::python;
}

}  // namespace sonde
