// Any bytes as what recorded programs left: in the file of slices, and as the memory of a chunk. That ends with a trace
// that links, or with bytes counted as unread.

#include <cstdint>
#include <cstdlib>

#include "record/trace_of.h"

namespace {

void make_trace(const sonde::record::Slices& slices) {
  sonde::Trace trace;
  trace.fields = sonde::Fields::all();
  constexpr size_t kSmallParts = 3;
  int64_t rows = 0;
  const auto count = [&](const sonde::Trace& part) {
    rows += static_cast<int64_t>(part.ranges.start.size() + part.marks.start.size() + part.os_calls.start.size());
  };
  const sonde::record::Tally tally = sonde::record::fill_trace(trace, slices, {}, count, kSmallParts);
  if (tally.unread_bytes < 0 || tally.events() != rows) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  make_trace(sonde::record::ordered_slices(bytes));
  sonde::record::Slices one;
  one.all.push_back({.process = 1, .thread = 1, .records = bytes});
  make_trace(one);
  return 0;
}
