#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "importers/importer.h"
#include "trace/window.h"

namespace sonde {

/// What every command that reads profiles takes: the files, and which part of them is looked at.
struct ProfileOptions {
  std::vector<std::string> files;
  std::string filter_time;
  std::string filter_nvtx;
};

void add_profile_options(CLI::App& command, ProfileOptions& options);

/// Runs a command's work: a missing FILE is a usage error, an error of the work is printed. Gives the exit code.
[[nodiscard]] int finish(const ProfileOptions& options, const std::function<Status()>& work);

/// Reads, filters and links, with progress on a terminal.
[[nodiscard]] Result<Trace> load(const ProfileOptions& options, Fields fields);

}  // namespace sonde
