#include <cstdint>
#include <cstdlib>

#include <simdjson.h>

#include "importers/files/gzip.h"
#include "importers/pytorch/pytorch_trace.h"
#include "trace/columns.h"
#include "trace/kernel_name.h"
#include "trace/link.h"

/// Reads any bytes without harm. The result for valid JSON does not depend on where the text is split.
namespace {

sonde::Trace read(std::string_view text, size_t piece_bytes) {
  sonde::Trace trace;
  sonde::ImportRequest request;
  request.fields = trace.fields = sonde::Fields::all();
  if (!sonde::pytorch::read_text(text, "fuzz.json", request, trace, piece_bytes)) return {};
  return trace;
}

void check(bool holds) {
  if (!holds) std::abort();
}

void check_same(const sonde::Trace& a, const sonde::Trace& b) {
  check(a.ranges.start == b.ranges.start && a.ranges.end == b.ranges.end && a.ranges.sequence == b.ranges.sequence);
  check(a.kernels.start == b.kernels.start && a.kernels.correlation == b.kernels.correlation);
  check(a.api.start == b.api.start && a.api.end == b.api.end);
  check(a.copies.bytes == b.copies.bytes && a.allocations.bytes == b.allocations.bytes);
  check(a.counter_values.value.size() == b.counter_values.value.size());
  check(a.threads.size() == b.threads.size() && a.streams.size() == b.streams.size());
}

bool is_json(std::string_view text) {
  simdjson::dom::parser parser;
  return parser.parse(text.data(), text.size()).error() == simdjson::SUCCESS;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::ignore = sonde::short_kernel_name(bytes);
  if (sonde::is_gzip(bytes)) std::ignore = sonde::gunzip(bytes);
  sonde::Trace whole = read(bytes, size_t{1} << 20);
  const sonde::Trace cut = read(bytes, 16);
  if (is_json(bytes)) check_same(whole, cut);
  sonde::link(whole);
  return 0;
}
