// Reads any bytes as a packet on a session's socket: the result is an error, or a request that is the same after
// encoding and reading.

#include <cstdint>
#include <cstdlib>

#include "record/session/message.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view packet(reinterpret_cast<const char*>(data), size);
  if (const auto request = sonde::record::read_request(packet)) {
    const auto again = sonde::record::read_request(packet_of(*request));
    // A text with a zero byte cannot have come, so that all else comes back.
    if (!again || packet_of(*again) != packet_of(*request)) std::abort();
  }
  static_cast<void>(sonde::record::read_answer(packet));
  return 0;
}
