// Reads any bytes as what the sampler of Python wrote into a spool. Reading ends, and every stack is one of the trace.

#include <cstdint>
#include <cstdlib>

#include "record/python/python_events.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sonde;
  using namespace sonde::record;
  const auto bytes = std::as_bytes(std::span(data, size));
  Slices slices;
  slices.python.push_back({0, 0, bytes, kPythonDefinitionMark});
  slices.python.push_back({0, 0, bytes, kPythonSampleMark});
  Trace trace;
  int64_t samples = 0;
  const auto check = [&](const Trace& part) {
    for (const ChainId chain : part.python_samples.chain) {
      if (chain != kNone && chain >= part.chains.size()) std::abort();
      ++samples;
    }
    const size_t frames = part.chains.symbol.size();
    if (part.chains.first.back() != frames || part.chains.line.size() > frames) std::abort();
  };
  const PythonTally tally = fill_python_events(trace, slices, {0, INT64_MAX}, check);
  if (tally.samples != samples || tally.gil_waits > samples) std::abort();
  return 0;
}
