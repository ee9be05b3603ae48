#include "analyses/ranges/range_label.h"

#include <fmt/format.h>

namespace sonde {

std::string RangeLabel::text_of(const Trace& trace) const {
  return fmt::format("{}:{}", trace.name(domain), trace.name(text));
}

RangeLabel label_of_range(const Trace& trace, Row range) {
  const DomainId domain = trace.ranges.domain[range];
  return {domain < trace.domains.size() ? trace.domains[domain].name : kNone, trace.ranges.name[range]};
}

std::string_view style_word(uint8_t style) {
  return style == static_cast<uint8_t>(RangeStyle::push_pop) ? "PushPop" : "StartEnd";
}

}  // namespace sonde
