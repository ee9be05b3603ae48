#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
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
  std::string step_time;  ///< of a step, as measured without a profiler
};

inline constexpr std::string_view kProfileHelp = "profile, or a folder or several files that are the ranks of one run";
inline constexpr std::string_view kJoinedProfileHelp =
    "profile, or a folder or several files that are the ranks of one run; optionally also reports of Nsight Compute, "
    "whose kernels are matched to its launches";

void add_profile_options(CommandLine& command, ProfileOptions& options, std::string_view help = kProfileHelp);

/// Of commands that take the recorder's own cost out of a run.
void add_step_time_option(CommandLine& command, ProfileOptions& options);

/// The value of --step-time; absent where it was not given.
[[nodiscard]] Result<std::optional<int64_t>> true_step_ns(const ProfileOptions& options);

/// Runs a command's work: a missing FILE is a usage error, an error of the work is printed. Gives the exit code.
[[nodiscard]] int finish(const ProfileOptions& options, const std::function<Status()>& work);

/// Reads, filters and links, with progress on a terminal.
[[nodiscard]] Result<Trace> load(const ProfileOptions& options, Fields fields);

/// A run, and what a kernel profiler measured of the same program in other runs.
struct JoinedProfiles {
  Trace timeline;
  std::optional<Trace> reports;  ///< absent where no timeline or no kernel report was named
};

/// The same as load() with kernel reports apart from timelines. Without a timeline the reports are read as one.
[[nodiscard]] Result<JoinedProfiles> load_joined(const ProfileOptions& options, const Fields& fields);

}  // namespace sonde
