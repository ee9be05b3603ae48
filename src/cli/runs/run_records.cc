#include "cli/runs/run_records.h"

#include <sys/stat.h>

#include <array>
#include <functional>
#include <map>
#include <utility>

#include "base/files/file.h"
#include "cli/command.h"
#include "gate/record/record_json.h"
#include "gate/record/record_run.h"
#include "importers/importer.h"
#include "trace/link.h"

namespace sonde {
namespace {

constexpr size_t kHead = 256;

using RecordOf = std::function<gate::RunRecord(const Trace&)>;

bool is_folder(const std::string& path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

Result<gate::RunRecord> read_record(const std::string& path) {
  const auto file = MappedFile::open(path);
  if (!file) return std::unexpected(file.error());
  auto record = gate::parse_record(file->bytes());
  if (!record) return fail("{}: {}", path, record.error().message);
  return record;
}

/// A timeline and a kernel report beside it are two kinds of runs.
Status check_folder(const std::string& path) {
  const auto files = sort_files(std::array{path});
  if (!files) return std::unexpected(files.error());
  if (files->timelines.empty() || files->kernel_reports.empty()) return {};
  return fail("{} contains timelines ({}) and kernel reports ({}); name the files of one run", path,
              short_path(files->timelines.front(), 1), short_path(files->kernel_reports.front(), 1));
}

/// The path's last two parts, as the files of a profile are named; of several ranks the folder's.
Result<gate::RunRecord> read_profile(const std::string& path, Progress& progress, const RecordOf& record_of) {
  const std::array paths = {path};
  if (is_folder(path)) SONDE_TRY(check_folder(path));
  auto trace = read_run(paths, {gate::record_fields(), &progress});
  if (!trace) return std::unexpected(trace.error());
  link(*trace);
  gate::RunRecord record = record_of(*trace);
  record.source = short_path(path);
  return record;
}

Result<gate::RunRecord> load_record(const std::string& path, Progress& progress, const RecordOf& record_of) {
  if (!is_folder(path)) {
    const auto head = read_head(path, kHead);
    if (head && gate::is_record(*head)) return read_record(path);
  }
  return read_profile(path, progress, record_of);
}

Result<std::vector<gate::RunRecord>> load_each(std::span<const std::string> files, const RecordOf& record_of) {
  SONDE_TRY(check_named_once(files));
  const auto progress = terminal_progress();
  std::vector<gate::RunRecord> records;
  for (const std::string& file : files) {
    auto record = load_record(file, *progress, record_of);
    if (!record) return std::unexpected(record.error());
    records.push_back(std::move(*record));
  }
  progress->end();
  return records;
}

}  // namespace

Status check_named_once(std::span<const std::string> files) {
  std::map<std::pair<dev_t, ino_t>, const std::string*> seen;
  for (const std::string& file : files) {
    struct stat info{};
    if (stat(file.c_str(), &info) != 0) continue;
    const auto [first, is_new] = seen.emplace(std::pair(info.st_dev, info.st_ino), &file);
    if (is_new) continue;
    if (*first->second == file) return fail("{} is given twice; each FILE is one run", file);
    return fail("{} and {} are the same file; each FILE is one run", *first->second, file);
  }
  return {};
}

Result<std::vector<gate::RunRecord>> load_records(std::span<const std::string> files) {
  return load_each(files, [](const Trace& trace) { return gate::record_run(trace); });
}

Result<std::vector<gate::RunRecord>> load_parts(std::span<const std::string> files, gate::PartOfRun part) {
  return load_each(files, [part](const Trace& trace) {
    gate::RunRecord record = gate::record_part(trace, part);
    record.recorder = step_without_recorder(trace);
    return record;
  });
}

}  // namespace sonde
