#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/error.h"
#include "config/keys.h"
#include "config/read.h"

namespace sonde::config {

/// Where a key stands, from 1.
struct Place {
  int64_t line = 0;
  int64_t column = 0;
};

/// A file as read, with the places of the keys that stand in it.
struct FileReading {
  Reading reading;
  /// By Key::name; types of tasks and their keys too: "sonde.tasks.types.training.command".
  std::map<std::string, Place, std::less<>> places;
};

[[nodiscard]] FileReading read_file_text(std::string_view yaml, const std::string& file);
/// From disk, as load_config() does; no file is read where `file` is empty.
[[nodiscard]] Result<FileReading> load_file(const std::string& file);
/// The folder against which relative paths are resolved; empty: the working directory of the process.
[[nodiscard]] std::string folder_of(const std::string& file);

}  // namespace sonde::config
