#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace sonde::tasks {

/// Numbers of tasks from "12", "12,14-17" and the like, in the order given, each once. A thousand at most.
[[nodiscard]] Result<std::vector<int64_t>> parse_ids(std::span<const std::string> texts);

/// One number.
[[nodiscard]] Result<int64_t> parse_id(const std::string& text);

/// The other way round, for people: "12, 14-17".
[[nodiscard]] std::string ids_text(std::vector<int64_t> ids);

}  // namespace sonde::tasks
