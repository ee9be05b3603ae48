#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "doctor/check.h"
#include "doctor/version.h"

namespace sonde::doctor {

struct FoundLibrary {
  std::string path;
  Version version;  ///< as its file is named: "libcudnn.so.9" contains only the 9
};

/// The copies of a library: as the loader finds it, in LD_LIBRARY_PATH, in CUDA toolkits, in the Python and conda
/// environments of this shell and of the system. Each file once, whatever links lead to it. `stem`: "libcudart".
[[nodiscard]] std::vector<FoundLibrary> find_libraries(const Host& host, std::string_view stem);

/// The versions of libraries, each once, the newest first: "12.4.127, 12.1".
[[nodiscard]] std::vector<std::string> versions_of(const std::vector<FoundLibrary>& libraries);

}  // namespace sonde::doctor
