// Reads any bytes as output of `ncu --csv`: the result is a trace, or an error in a sentence.

#include <cstdint>
#include <cstdlib>

#include "importers/ncu_csv/ncu_csv.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  sonde::Trace trace;
  const sonde::Status status = sonde::ncu_csv::read_text(text, "fuzz.csv", {.fields = sonde::Fields::all()}, trace);
  if (!status && status.error().message.empty()) std::abort();
  return 0;
}
