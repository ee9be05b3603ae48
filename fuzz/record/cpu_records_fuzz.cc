// Reads any bytes as the CPU records of a spool. Reading ends, and the call stack of every sample is one of the trace.

#include <cstdint>
#include <cstdlib>

#include "record/cpu/cpu_events.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sonde;
  using namespace sonde::record;
  const auto bytes = std::as_bytes(std::span(data, size));
  for (const auto form : {PerfReader::Samples::chain, PerfReader::Samples::chain_and_stack}) {
    PerfReader reader(bytes, form);
    PerfRecord record;
    while (reader.next(record)) continue;
  }
  Slices slices;
  slices.cpu.push_back({0, 0, bytes, kCpuSliceMark});
  Trace trace;
  Symbolizer symbolizer(trace, slices);
  const auto check = [](const Trace& part) {
    for (const ChainId chain : part.samples.chain) {
      if (chain != kNone && chain >= part.chains.size()) std::abort();
    }
  };
  const CpuTally tally = fill_cpu_events(trace, slices, symbolizer, {0, INT64_MAX}, true, check);
  if (tally.broken_chains > tally.chains || tally.chains > tally.samples) std::abort();
  return 0;
}
