// Reads any bytes as a profile, starting from memory snapshots of PyTorch: the result is a trace, or an error in a
// sentence.

#include "any_profile.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  sonde::test::read_any_profile(data, size);
  return 0;
}
