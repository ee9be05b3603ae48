#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>

#include "base/system/boot_id.h"
#include "base/system/process_handle.h"
#include "dispatch/executor/log_reader.h"
#include "dispatch/executor/moments.h"
#include "dispatch/executor/orphans.h"
#include "dispatch/executor/out_of_memory.h"
#include "dispatch/executor/process_executor.h"
#include "dispatch/keeper/keeper.h"
#include "dispatch/keeper/process_table.h"

// How attempts end, and what is found of them after a restart.
namespace sonde::dispatch {
namespace {

/// `status`: of its keeper, as waitpid() has it, where this service started one.
std::string never_started_text(std::optional<int> status) {
  if (!status) return "the service stopped before the task started";
  const std::string how = WIFSIGNALED(*status) ? fmt::format("signal {}", WTERMSIG(*status))
                                               : fmt::format("exit status {}", WEXITSTATUS(*status));
  return fmt::format("its supervisor (sonde-keeper) ended with {} before it started the task", how);
}

}  // namespace

void ProcessExecutor::hear_bell() {
  std::array<keeper::BellWord, 64> words{};  // each is written whole: pipe(7)
  const ssize_t count = read(bell_.get(), words.data(), sizeof words);
  for (size_t i = 0; count > 0 && i < static_cast<size_t>(count) / sizeof words[0]; ++i) {
    end_is_written({words.at(i).task, words.at(i).attempt});
  }
}

void ProcessExecutor::end_is_written(AttemptId id) {
  const Entry* const entry = find(id);
  if (entry == nullptr || entry->is_over) return;
  const Descriptor live(::open(files_.live_file(id).c_str(), O_RDONLY | O_CLOEXEC));
  if (const auto end = live ? keeper::read_end_record(live.get(), attempt_name(id)) : std::nullopt) report(id, *end);
}

void ProcessExecutor::keeper_ended(uint64_t number) {
  const auto at = keepers_.find(number);
  if (at == keepers_.end()) return;
  int status = 0;
  const bool is_known = at->second.is_child && waitpid(at->second.pid, &status, 0) > 0;
  epoll_ctl(events_.get(), EPOLL_CTL_DEL, at->second.handle.get(), nullptr);
  const AttemptId id = at->second.id;
  keepers_.erase(at);
  Entry* const entry = find(id);
  if (entry == nullptr || entry->keeper != number) return;
  {
    const std::scoped_lock lock(mutex_);
    entry->keeper = 0;
    if (is_known) entry->keeper_status = status;
  }
  settle(id);
}

void ProcessExecutor::reap_strays() {
  std::erase_if(strays_, [](pid_t pid) { return waitpid(pid, nullptr, WNOHANG) != 0; });
}

/// Who holds the file's lock lives, though it may be a keeper that was not yet able to say who it is.
void ProcessExecutor::settle(AttemptId id) {
  reap_strays();
  const Entry* const entry = find(id);
  if (entry == nullptr || entry->is_over || entry->keeper != 0) return;
  const Descriptor live(::open(files_.live_file(id).c_str(), O_RDWR | O_CLOEXEC));
  if (!live) {
    if (errno == ENOENT) return settle_free(id, -1);
    return settle_later(id);
  }
  if (const auto end = keeper::read_end_record(live.get(), attempt_name(id))) return report(id, *end);
  if (flock(live.get(), LOCK_EX | LOCK_NB) == 0) return settle_free(id, live.get());
  const auto record = keeper::read_keeper_record(live.get(), attempt_name(id));
  if (!record || !follow_living(id, *record)) settle_later(id);
}

void ProcessExecutor::settle_later(AttemptId id) {
  do_later(id, [this, id] { settle(id); });
}

/// No keeper has it any more.
void ProcessExecutor::settle_free(AttemptId id, int live) {
  // It may have written the end between that look and its own end.
  if (const auto end = live < 0 ? std::nullopt : keeper::read_end_record(live, attempt_name(id)))
    return report(id, *end);
  const auto record = live < 0 ? std::nullopt : keeper::read_keeper_record(live, attempt_name(id));
  keeper::EndRecord end{.cause = "lost", .ended_ns = wall_ns()};
  const bool is_from_before = from_before_boot_.contains(id) && files_.host_restarted();
  if (!record && !is_from_before) {
    end.cause = "not_started";
    end.message = never_started_text(find(id)->keeper_status);
    return report(id, end);
  }
  if (!record || record->boot != boot_id()) {
    end.message = "the host went down";
    return report(id, end);
  }
  if (record->is_worker_request) {
    end.message = "the service stopped before the worker responded";
    return report(id, end);
  }
  if (kill_orphans(*record, files_.attempt_folder(id)) > 0) return settle_later(id);
  end.message = "its supervisor (sonde-keeper) was killed; the remaining processes of the task were terminated";
  report(id, end);
}

bool ProcessExecutor::follow_living(AttemptId id, const keeper::KeeperRecord& record) {
  const auto pid = static_cast<pid_t>(record.keeper);
  Descriptor handle = process_handle(pid);
  const auto process = keeper::find_process(pid);
  if (!handle || !process || process->start_ticks != record.keeper_start) return false;
  Entry* const entry = find(id);
  if (entry == nullptr) return true;
  const bool is_child = process->parent == getpid();
  std::erase(strays_, pid);
  entry->was_found = true;
  follow(*entry, {.id = id, .pid = pid, .is_child = is_child, .handle = std::move(handle)});
  return true;
}

void ProcessExecutor::report(AttemptId id, const keeper::EndRecord& end) {
  Entry* const entry = find(id);
  if (entry == nullptr || entry->is_over) return;
  members_.remove(id);
  folders_.settled(id.first);
  if (!entry->is_wanted) return clear_unwanted(id, *entry);
  EndReport ended{.task = id.first,
                  .attempt = id.second,
                  .cause = cause_of(end.cause).value_or(EndCause::lost),
                  .exit_status = end.exit_status,
                  .signal = end.signal,
                  .message = end.message,
                  .ended_ns = end.ended_ns};
  const bool failed = (ended.cause == EndCause::exit && ended.exit_status != 0) || ended.cause == EndCause::signal;
  if (failed && ran_out_of_gpu_memory(id)) ended.cause = EndCause::out_of_memory;
  {
    const std::scoped_lock lock(mutex_);
    entry->is_over = true;
    entry->never_ran = ended.cause == EndCause::not_started;
  }
  ended_(std::move(ended));
}

/// Its output is removed only if the attempt was found running unexpectedly. An attempt whose end was saved keeps it.
void ProcessExecutor::clear_unwanted(AttemptId id, const Entry& entry) {
  if (entry.was_found) folders_.remove_attempt(id.first, id.second);
  clear(id);
}

/// Its end is stored like that of a command, so it is reported again until it is collected.
void ProcessExecutor::worker_ended(const EndReport& report) {
  const AttemptId id{report.task, report.attempt};
  const keeper::EndRecord end{.cause = std::string(cause_name(report.cause)),
                              .exit_status = report.exit_status,
                              .signal = report.signal,
                              .message = report.message,
                              .ended_ns = report.ended_ns,
                              .attempt = attempt_name(id)};
  const Descriptor live(::open(files_.live_file(id).c_str(), O_RDWR | O_CLOEXEC));
  if (live && keeper::write_record(live.get(), keeper::kEndOffset, record_text(end))) fsync(live.get());
  this->report(id, end);
}

bool ProcessExecutor::ran_out_of_gpu_memory(AttemptId id) const {
  constexpr int64_t kEnd = 16 << 10;
  constexpr std::array<std::string_view, 2> kEndings = {".stderr", ".stdout"};
  return std::ranges::any_of(kEndings, [&](std::string_view ending) {
    const auto part = read_log(fmt::format("{}{}", files_.output(id), ending), -kEnd, kEnd, true);
    return part && reports_gpu_out_of_memory(part->text);
  });
}

// After a restart

void ProcessExecutor::adopt(std::span<const std::pair<int64_t, int64_t>> running) {
  {
    const std::scoped_lock lock(mutex_);
    for (const AttemptId& id : running) entries_.try_emplace(id);
  }
  post([this, wanted = std::set<AttemptId>(running.begin(), running.end())] { adopt_now(wanted); });
}

/// Not before: a service that is killed now would take what ran in the host's earlier life for never started.
void ProcessExecutor::remember_boot() {
  if (!files_.host_restarted() || !from_before_boot_.empty()) return;
  // Where that fails, what this service has not yet started counts as lost in the next one: it is tried again.
  [[maybe_unused]] const Status kept = files_.remember_boot();
}

void ProcessExecutor::adopt_now(const std::set<AttemptId>& running) {
  from_before_boot_ = running;
  remember_boot();
  std::set<AttemptId> others;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(files_.live_folder(), error)) {
    if (const auto id = attempt_of(entry.path().filename().string())) others.insert(*id);
  }
  for (const AttemptId& id : running) {
    others.erase(id);
    settle(id);
  }
  for (const AttemptId& id : others) {
    {
      const std::scoped_lock lock(mutex_);
      const auto [at, is_new] = entries_.try_emplace(id);
      if (!is_new) continue;  // started meanwhile
      at->second.is_wanted = false;
    }
    settle(id);
  }
}

}  // namespace sonde::dispatch
