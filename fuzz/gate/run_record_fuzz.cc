// Reads any bytes as the record of a run: the result is an error in a sentence, or a record that is the same after
// writing and reading.

#include <cstdint>
#include <cstdlib>

#include "gate/record/record_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sonde::gate;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto record = parse_record(text);
  if (!record) {
    if (record.error().message.empty()) std::abort();
    return 0;
  }
  const std::string written = record_json(*record);
  const auto again = parse_record(written);
  if (!is_record(written) || !again || record_json(*again) != written) std::abort();
  return 0;
}
