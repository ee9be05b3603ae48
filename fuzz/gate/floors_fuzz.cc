#include <cstdint>
#include <cstdlib>

#include "gate/decide/floors_json.h"

/// Reads any bytes as floors: the result is an error in a sentence, or floors that are the same after writing and
/// reading.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto floors = sonde::gate::parse_floors({reinterpret_cast<const char*>(data), size});
  if (!floors) {
    if (floors.error().message.empty()) std::abort();
    return 0;
  }
  const auto again = sonde::gate::parse_floors(sonde::gate::floors_json(*floors));
  if (!again || again->centres != floors->centres || again->conditions != floors->conditions) std::abort();
  return 0;
}
