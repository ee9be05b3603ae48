#include "importers/importer.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "importers/files/not_a_profile.h"
#include "trace/absurd_times.h"
#include "trace/align.h"
#include "trace/link.h"
#include "trace/one_run.h"

namespace sonde {

#define SONDE_IMPORTER(name) extern const Importer name##_importer;
#include "importers/list.inc"
#undef SONDE_IMPORTER

namespace {

const std::array kImporters = {
#define SONDE_IMPORTER(name) name##_importer,
#include "importers/list.inc"
#undef SONDE_IMPORTER
};

namespace fs = std::filesystem;

const Importer* recognize(const Probe& probe) {
  const auto* found = std::ranges::find_if(kImporters, [&](const Importer& i) { return i.recognizes(probe); });
  return found == kImporters.end() ? nullptr : found;
}

/// The profiles directly in a folder, by name, so that ranks come in the same order every time.
Result<std::vector<std::string>> profiles_in(const fs::path& folder) {
  std::error_code error;
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (!entry.is_regular_file(error)) continue;
    const auto probe = Probe::open(entry.path().string());
    const bool picked = probe && std::ranges::any_of(kImporters, [&](const Importer& i) { return i.picks(*probe); });
    if (picked) found.push_back(entry.path().string());
  }
  if (error) return fail("cannot read the directory {}: {}", folder.string(), error.message());
  if (found.empty()) {
    return fail("the directory {} contains no profile; pass a profile, or a directory with the profiles of one run",
                folder.string());
  }
  std::ranges::sort(found);
  return found;
}

/// The format of a file that somebody named or that a folder has.
Result<const Importer*> importer_of(const std::string& path) {
  const auto probe = Probe::open(path);
  if (!probe) return std::unexpected(probe.error());
  const Importer* importer = recognize(*probe);
  if (importer == nullptr) return std::unexpected(not_a_profile(*probe));
  return importer;
}

Status read_file(const std::string& path, const ImportRequest& request, Trace& trace, OneRun& run) {
  const auto importer = importer_of(path);
  if (!importer) return std::unexpected(importer.error());
  const std::vector<size_t> rows = row_counts(trace);
  SONDE_TRY((*importer)->read(path, request, trace));
  drop_absurd_times(trace, rows);
  if (!(*importer)->aligns) align_last_rank(trace, rows);
  return run.add(trace, rows);
}

/// A file itself, of a folder the profiles in it.
Result<std::vector<std::string>> files_of(const std::string& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status)) return fail("file not found: {}", path);
  if (!fs::is_directory(status)) return std::vector{path};
  return profiles_in(path);
}

Status read_path(const std::string& path, const ImportRequest& request, Trace& trace, OneRun& run) {
  const auto files = files_of(path);
  if (!files) return std::unexpected(files.error());
  for (const std::string& file : *files) SONDE_TRY(read_file(file, request, trace, run));
  return {};
}

FileContent content_of(const Importer& importer, const std::string& path) {
  if (importer.content != nullptr) return importer.content(path);
  return {.timeline = !importer.kernel_report, .kernel_report = importer.kernel_report};
}

}  // namespace

std::span<const Importer> importers() { return kImporters; }

Result<Trace> read_run(std::span<const std::string> paths, const ImportRequest& request) {
  Trace trace;
  trace.fields = request.fields;
  OneRun run;
  for (const std::string& path : paths) SONDE_TRY(read_path(path, request, trace, run));
  return trace;
}

Result<ProfileFiles> sort_files(std::span<const std::string> paths) {
  ProfileFiles sorted;
  for (const std::string& path : paths) {
    const auto files = files_of(path);
    if (!files) return std::unexpected(files.error());
    for (const std::string& file : *files) {
      const auto importer = importer_of(file);
      if (!importer) return std::unexpected(importer.error());
      const FileContent content = content_of(**importer, file);
      if (content.timeline) sorted.timelines.push_back(file);
      if (content.kernel_report) sorted.kernel_reports.push_back(file);
    }
  }
  return sorted;
}

Result<Trace> import_run(std::span<const std::string> paths, const ImportRequest& request) {
  auto trace = read_run(paths, request);
  if (trace) link(*trace);
  return trace;
}

}  // namespace sonde
