#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace sonde {

/// What the files of a CI system are made for.
struct CiSettings {
  std::string command;
  std::string budget;  ///< relative to the repository
  std::string tool;    ///< "nsys", "sonde", "pytorch" or "none"
  std::string branch;  ///< that the baseline is of
  int runs = 0;
};

/// A file to write.
struct CiFile {
  std::string path;  ///< relative to the repository
  std::string text;
  bool users = false;  ///< belongs to the user once it is there: never replaced
};

/// A CI system that Sonde can be set up in.
struct CiSystem {
  std::string_view name;
  std::string_view next_steps;  ///< for people; {branch} is replaced
  std::vector<CiFile> (*files)(const CiSettings& settings);
};

[[nodiscard]] Result<const CiSystem*> find_ci_system(std::string_view name);

/// All files of the system, the budget to begin with among them.
[[nodiscard]] std::vector<CiFile> ci_files(const CiSystem& system, const CiSettings& settings);

}  // namespace sonde
