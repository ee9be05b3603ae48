// Reads any bytes as the output of recorded programs: as the file of slices, and as the memory of a chunk. The result
// is a trace that links, or bytes counted as unread. Only whole records are kept for later rounds.

#include <cstdint>
#include <cstdlib>

#include "record/gpu_metrics/gpu_metrics.h"
#include "record/rounds/kept_definitions.h"
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
  sonde::record::Symbolizer symbolizer(trace, slices);
  const sonde::record::Tally tally = sonde::record::fill_trace(trace, slices, symbolizer, {}, count, {}, kSmallParts);
  if (tally.unread_bytes < 0 || tally.ranges + tally.marks + tally.os_calls != rows) std::abort();
}

void make_counters(const sonde::record::Slices& slices) {
  sonde::Trace trace;
  constexpr int64_t kEnd = 1'000'000'000'000;
  int64_t values = 0;
  const auto check = [&](const sonde::Trace& part) {
    for (const uint32_t counter : part.counter_values.counter) {
      if (counter >= part.counters.size()) std::abort();
      ++values;
    }
  };
  int64_t most = 0;
  for (const auto& gpu : sonde::record::fill_gpu_metrics(trace, slices, 0, kEnd, check).gpus) {
    most += gpu.samples * static_cast<int64_t>(gpu.metrics.size());
  }
  if (values > most) std::abort();
}

class WholeRecords : public sonde::record::Sink {
 public:
  void add(const sonde::record::Slice& slice) override {
    if (slice.mark != sonde::record::kSliceMark) return;
    sonde::wire::Reader reader(slice.records);
    sonde::wire::Record record;
    while (reader.next(record)) continue;
    if (reader.left() > 0) std::abort();
  }
  void flush() override {}
};

void keep_definitions(const sonde::record::Slices& slices) {
  sonde::record::KeptDefinitions kept;
  for (const auto& slice : slices.all) kept.note(slice);
  for (const auto& slice : slices.cpu) kept.note(slice);
  WholeRecords sink;
  kept.hand_to(sink);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const sonde::record::Slices ordered = sonde::record::ordered_slices(bytes);
  make_trace(ordered);
  make_counters(ordered);
  keep_definitions(ordered);
  sonde::record::Slices one;
  one.all.push_back({.process = 1, .thread = 1, .records = bytes});
  make_trace(one);
  make_counters(one);
  keep_definitions(one);
  return 0;
}
