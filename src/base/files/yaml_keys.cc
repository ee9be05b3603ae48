#include "base/files/yaml_keys.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/suggest.h"

namespace sonde {

void check_yaml_keys(const YAML::Node& map, std::span<const std::string_view> known,
                     const std::function<void(const YAML::Mark&, std::string)>& problem) {
  std::set<std::string> seen;
  for (const auto& entry : map) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
    if (std::ranges::find(known, key) == known.end()) {
      const std::string hint = did_you_mean(key, known);
      problem(entry.first.Mark(),
              fmt::format("unknown key '{}'{}", key,
                          hint.empty() ? fmt::format(": known are {}", fmt::join(known, ", ")) : hint));
    } else if (!seen.insert(key).second) {
      problem(entry.first.Mark(), fmt::format("duplicate key '{}'", key));
    }
  }
}

}  // namespace sonde
