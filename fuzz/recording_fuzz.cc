// Any bytes as what recorded programs left: in the file of slices, and as the memory of a chunk. That ends with a trace
// that links, or with bytes counted as unread.

#include <cstdint>
#include <cstdlib>

#include "record/trace_of.h"
#include "trace/link.h"

namespace {

void make_trace(const sonde::record::Slices& slices) {
  sonde::Trace trace;
  trace.fields = sonde::Fields::all();
  const sonde::record::Tally tally = sonde::record::fill_trace(trace, slices, {});
  if (tally.unread_bytes < 0 || tally.events() < 0) std::abort();
  sonde::link(trace);
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
