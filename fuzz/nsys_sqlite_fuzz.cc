// Any bytes as a profile, beginning from SQLite exports: whatever they are, reading them ends with a trace or with an
// error in a sentence.

#include "any_profile.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  sonde::test::read_any_profile(data, size);
  return 0;
}
