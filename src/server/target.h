#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sonde::server {

/// The target of a request line, decoded.
struct Target {
  std::string path;  ///< "/api/v1/gpus"; "*" for the whole server
  std::vector<std::pair<std::string, std::string>> query;
};

/// Of "/path?query" or "http://host/path?query". Nothing where another program could read it as another path than this
/// one does: "." and ".." (also encoded), control characters, encoded slashes, backslashes, '#', wrong percent signs,
/// and what is not UTF-8.
[[nodiscard]] std::optional<Target> parse_target(std::string_view target);

}  // namespace sonde::server
