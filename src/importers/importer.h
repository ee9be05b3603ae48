#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "importers/probe.h"
#include "trace/trace.h"

namespace sonde {

struct ImportRequest {
  Fields fields;  ///< what the reader will look at; no more is read
  Progress* progress = &no_progress();
};

/// What a file tells of.
struct FileContent {
  bool timeline = true;
  bool kernel_report = false;  ///< a kernel profiler's: single launches
};

/// A file format that Sonde reads. One row of list.inc each.
struct Importer {
  std::string_view name;
  std::string_view description;  ///< one line, for `sonde info` and the docs
  /// True if a file is of this format. The content decides, never the file's name.
  bool (*recognizes)(const Probe& probe);
  /// The same where nobody named the file, but a folder that it lies in: true only when it is surely a profile.
  bool (*picks)(const Probe& probe);
  /// Appends the file to `trace` as one more rank: entities, unsorted events, notes in the log. link() comes later.
  Status (*read)(const std::string& path, const ImportRequest& request, Trace& trace);
  bool kernel_report = false;  ///< a kernel profiler's: single launches, no timeline
  /// Where files of the format tell of either or both: what this one does. nullptr: as `kernel_report` says.
  FileContent (*content)(const std::string& path) = nullptr;
  bool aligns = false;  ///< read() appends any number of ranks, and puts each on the clock of the first
};

[[nodiscard]] std::span<const Importer> importers();

/// Reads one run: each path is a file, or a folder whose profiles are its ranks, put on one clock. Not linked yet.
/// Errors say in one sentence what a path is and what to do about it.
[[nodiscard]] Result<Trace> read_run(std::span<const std::string> paths, const ImportRequest& request);

/// Files by what they tell of, one that tells of both in both; folders are replaced by the profiles in them.
struct ProfileFiles {
  std::vector<std::string> timelines;
  std::vector<std::string> kernel_reports;
};
[[nodiscard]] Result<ProfileFiles> sort_files(std::span<const std::string> paths);

/// read_run() and link().
[[nodiscard]] Result<Trace> import_run(std::span<const std::string> paths, const ImportRequest& request);

}  // namespace sonde
