// Any bytes as a profile, beginning from Nsight Compute reports: whatever they are, reading them ends with a trace or
// with an error in a sentence.

#include <array>
#include <cstdint>
#include <cstdlib>

#include "importers/importer.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const sonde::test::MemoryFile file({reinterpret_cast<const char*>(data), size});
  const std::array paths = {file.path()};
  const auto trace = sonde::import_run(paths, {.fields = sonde::Fields::all()});
  if (!trace && trace.error().message.empty()) std::abort();
  return 0;
}
