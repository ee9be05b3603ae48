#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>

#include "importers/importer.h"
#include "memory_file.h"

namespace sonde::test {

/// Reads any bytes as a profile: the result is a trace, or an error in a sentence.
inline void read_any_profile(const uint8_t* data, size_t size) {
  const MemoryFile file({reinterpret_cast<const char*>(data), size});
  const std::array paths = {file.path()};
  const auto trace = import_run(paths, {.fields = Fields::all()});
  if (!trace && trace.error().message.empty()) std::abort();
}

}  // namespace sonde::test
