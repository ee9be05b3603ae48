#include <fcntl.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "dispatch/executor/log_reader.h"
#include "dispatch/executor/process_executor.h"

// What others ask of attempts, on their own threads.
namespace sonde::dispatch {
namespace {

/// A task may have removed its own folder; what it printed lies beside that.
bool has_files(const std::string& output) {
  constexpr std::array<std::string_view, 3> kEndings = {"", ".stdout", ".stderr"};
  std::error_code error;
  return std::ranges::any_of(kEndings, [&](std::string_view ending) {
    return std::filesystem::exists(fmt::format("{}{}", output, ending), error);
  });
}

}  // namespace

std::optional<std::pair<int64_t, int64_t>> ProcessExecutor::task_of(int64_t pid) const { return members_.find(pid); }

std::optional<int64_t> ProcessExecutor::pid_of(int64_t task, int64_t attempt) const {
  const AttemptId id{task, attempt};
  {
    const std::scoped_lock lock(mutex_);
    const auto at = entries_.find(id);
    if (at == entries_.end() || at->second.is_over || at->second.keeper == 0) return std::nullopt;
    if (at->second.task) return at->second.task;
  }
  const Descriptor live(::open(files_.live_file(id).c_str(), O_RDONLY | O_CLOEXEC));
  const auto record = live ? keeper::read_keeper_record(live.get(), attempt_name(id)) : std::nullopt;
  if (!record || record->task == 0) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  if (const auto at = entries_.find(id); at != entries_.end()) at->second.task = record->task;
  return record->task;
}

Result<std::optional<LogPart>> ProcessExecutor::log(int64_t task, int64_t attempt, LogStream stream, int64_t from,
                                                    int64_t max) const {
  const AttemptId id{task, attempt};
  bool over = true;
  {
    const std::scoped_lock lock(mutex_);
    const auto at = entries_.find(id);
    if (at != entries_.end()) over = at->second.is_over;
  }
  if (over && !has_files(files_.output(id))) return std::optional<LogPart>();
  return read_log(files_.output(id) + (stream == LogStream::out ? ".stdout" : ".stderr"), from, max, over);
}

std::string ProcessExecutor::folder_of(int64_t task, int64_t attempt) const {
  return files_.attempt_folder({task, attempt});
}

void ProcessExecutor::remove(int64_t task) { folders_.remove(task); }

int64_t ProcessExecutor::bytes() const { return folders_.bytes(); }

}  // namespace sonde::dispatch
