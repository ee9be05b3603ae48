#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "config/config.h"

namespace sonde::config {

/// A mistake in a configuration file.
struct Problem {
  int64_t line = 0;  ///< from 1; 0 where the whole file is meant
  int64_t column = 0;
  std::string key;      ///< "gpu.memory_threshold"; empty where no key is meant
  std::string message;  ///< what is wrong and what is allowed
};

/// A configuration or all its mistakes.
struct Reading {
  Config config;
  std::vector<Problem> problems;  ///< empty: `config` holds
};

/// Relative paths in it are resolved against the folder of `file`.
[[nodiscard]] Reading read_config(std::string_view yaml, const std::string& file);
/// The same from disk. The error is that of the file, or all mistakes, a line each: "FILE:LINE:COLUMN: KEY: MESSAGE".
[[nodiscard]] Result<Config> load_config(const std::string& file);
[[nodiscard]] std::string problems_text(std::span<const Problem> problems, std::string_view file);

}  // namespace sonde::config
