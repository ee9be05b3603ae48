#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace sonde {

/// The three names that most of the time goes to, with their shares of the whole: "aten::item 62 %, cudaMemcpy 30 %".
/// Empty without names.
[[nodiscard]] std::string most_of(const std::map<std::string, int64_t>& time_by_name, int64_t whole);
[[nodiscard]] std::string most_of(const std::map<std::string, int64_t>& time_by_name);

}  // namespace sonde
