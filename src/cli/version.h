#pragma once

#include <string>

namespace sonde {

/// "sonde 0.1.0".
[[nodiscard]] std::string version_text();

/// {"version", "commit", "build", "libraries": {name: version}}. Versions of libraries are those it was compiled with.
[[nodiscard]] std::string version_json();

}  // namespace sonde
