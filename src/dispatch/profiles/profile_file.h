#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "dispatch/profiles/slow_work.h"

namespace sonde::dispatch::profiles {

/// What a recording left.
struct ProfileFile {
  std::string path;
  int64_t bytes = 0;
};

/// Where a profiler is to write: a path without its ending.
[[nodiscard]] std::string output_path(const std::string& folder);
/// The newest file of that name with any ending; no link, since the folder is the task's.
[[nodiscard]] std::optional<ProfileFile> find_profile(const std::string& folder);

/// The words with {output}, {pid} and {seconds} filled in; what is absent stays as it is.
struct Filling {
  std::string output;
  std::string pid = {};
  std::string seconds = {};
};
[[nodiscard]] std::vector<std::string> filled_words(const std::vector<std::string>& words, const Filling& filling);

/// The array of findings of a document of `sonde why --json`, the greatest first; without their evidence where they are
/// larger than a database should hold.
[[nodiscard]] Result<std::string> findings_of(const std::string& document);
/// The first one, in a sentence with what it can save; says so where there are none.
[[nodiscard]] Finding greatest_finding(int64_t task, const std::string& findings);

}  // namespace sonde::dispatch::profiles
