#include "dispatch/executor/process_executor.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>

#include "dispatch/executor/log_reader.h"
#include "dispatch/executor/orphans.h"
#include "dispatch/executor/out_of_memory.h"
#include "dispatch/executor/task_environment.h"
#include "dispatch/keeper/keeper.h"
#include "dispatch/keeper/process_table.h"

namespace sonde::dispatch {
namespace {

constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kSecond = 1'000'000'000;
/// How long a start is tried again where the host has no room for it just now: processes, memory, disk.
constexpr int64_t kStartPatience = 60 * kSecond;
constexpr int64_t kShortestPause = 10 * kMillisecond;

int64_t monotonic_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// `status`: of its keeper, as waitpid() has it, where this service started one.
std::string never_started_text(std::optional<int> status) {
  if (!status) return "the service ended before it was started";
  const std::string how = WIFSIGNALED(*status) ? fmt::format("signal {}", WTERMSIG(*status))
                                               : fmt::format("exit status {}", WEXITSTATUS(*status));
  return fmt::format("its keeper (sonde-keeper) ended with {} before it started the task", how);
}

bool can_pass(int error) {
  constexpr std::array<int, 9> kPassing = {EAGAIN, ENOMEM, ENOSPC, EDQUOT, EMFILE, ENFILE, EROFS, EIO, ETXTBSY};
  return std::ranges::find(kPassing, error) != kPassing.end();
}

/// SIGTERM, marked as the service's own.
void send_cancel(int handle) {
  siginfo_t info{};
  info.si_signo = SIGTERM;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_int = keeper::kCancelMark;
  syscall(SYS_pidfd_send_signal, handle, SIGTERM, &info, 0);
}

}  // namespace

ProcessExecutor::ProcessExecutor(AttemptFiles files, Descriptor live_folder, std::array<Descriptor, 2> bell,
                                 KeeperProgram program, std::function<void(EndReport)> ended)
    : files_(std::move(files)),
      live_folder_(std::move(live_folder)),
      program_(std::move(program)),
      ended_(std::move(ended)),
      events_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      bell_(std::move(bell[0])),
      bell_end_(std::move(bell[1])),
      workers_(
          WorkerRequests::make([this](const EndReport& report) { post([this, report] { worker_ended(report); }); })),
      folders_(files_.tasks_folder()) {
  for (const auto& [file, name] : {std::pair{wake_.get(), kWake}, {bell_.get(), kBell}}) {
    epoll_event event{.events = EPOLLIN, .data = {.u64 = name}};
    epoll_ctl(events_.get(), EPOLL_CTL_ADD, file, &event);
  }
  thread_ = std::thread([this] { run(); });
}

ProcessExecutor::~ProcessExecutor() { ProcessExecutor::stop(); }

void ProcessExecutor::stop() {
  workers_->stop();
  post([this] { stopping_ = true; });
  if (thread_.joinable()) thread_.join();
}

void ProcessExecutor::post(std::function<void()> work) {
  const std::scoped_lock lock(mutex_);
  post_locked(std::move(work));
}

void ProcessExecutor::post_locked(std::function<void()> work) {
  posted_.push_back(std::move(work));
  constexpr uint64_t kOne = 1;
  [[maybe_unused]] const auto written = write(wake_.get(), &kOne, sizeof kOne);
}

void ProcessExecutor::run() {
  while (!stopping_) {
    wait_for_events();
    take_posted();
    run_due();
  }
}

bool ProcessExecutor::has_posted() const {
  const std::scoped_lock lock(mutex_);
  return !posted_.empty();
}

/// One at a time: ends and cancels do not wait for a thousand starts.
void ProcessExecutor::take_posted() {
  std::function<void()> work;
  {
    const std::scoped_lock lock(mutex_);
    if (posted_.empty()) return;
    work = std::move(posted_.front());
    posted_.pop_front();
  }
  work();
}

int ProcessExecutor::patience_ms() const {
  if (has_posted()) return 0;
  if (later_.empty()) return -1;
  const int64_t left = std::clamp<int64_t>(later_.begin()->first - monotonic_ns(), 0, 1000 * kSecond);
  return static_cast<int>((left + kMillisecond - 1) / kMillisecond);
}

void ProcessExecutor::wait_for_events() {
  std::array<epoll_event, 64> events{};
  const int count = epoll_wait(events_.get(), events.data(), events.size(), patience_ms());
  for (int i = 0; i < count; ++i) {
    const uint64_t number = events.at(static_cast<size_t>(i)).data.u64;
    if (number >= kFirstKeeper) keeper_ended(number);
    if (number == kBell) hear_bell();
    if (number != kWake) continue;
    uint64_t times = 0;
    [[maybe_unused]] const auto taken = read(wake_.get(), &times, sizeof times);
  }
}

void ProcessExecutor::run_due() {
  const int64_t now = monotonic_ns();
  while (!later_.empty() && later_.begin()->first <= now) {
    const auto work = std::move(later_.begin()->second);
    later_.erase(later_.begin());
    work();
  }
}

/// The pauses of an attempt grow, up to a second.
void ProcessExecutor::do_later(AttemptId id, std::function<void()> work) {
  Entry* const entry = find(id);
  if (entry == nullptr) return;
  entry->pause_ns = std::clamp(2 * entry->pause_ns, kShortestPause, kSecond);
  later_.emplace(monotonic_ns() + entry->pause_ns, std::move(work));
}

ProcessExecutor::Entry* ProcessExecutor::find(AttemptId id) {
  const std::scoped_lock lock(mutex_);
  const auto at = entries_.find(id);
  return at == entries_.end() ? nullptr : &at->second;
}

// Starting

void ProcessExecutor::start(const Launch& launch) {
  const AttemptId id{launch.task, launch.attempt};
  const std::scoped_lock lock(mutex_);
  const auto [at, is_new] = entries_.try_emplace(id);
  if (!is_new && !at->second.never_ran) return;  // it runs, or has run
  at->second = Entry();
  at->second.is_inference = launch.inference.has_value();
  post_locked([this, launch, is_new] {
    if (!is_new) unlink(files_.live_file({launch.task, launch.attempt}).c_str());
    this->launch(launch, monotonic_ns() + kStartPatience);
  });
}

void ProcessExecutor::launch(const Launch& launch, int64_t give_up_ns) {
  const AttemptId id{launch.task, launch.attempt};
  Entry* const entry = find(id);
  if (entry == nullptr) return;
  if (entry->cancelled) {
    report(id, {.cause = "cancelled", .message = "before it was started", .ended_ns = now_ns()});
    return;
  }
  if (launch.inference) {
    ask_worker(launch);
    return;
  }
  const int error = launch_now(launch, *entry);
  if (error == 0) return;
  if (can_pass(error) && monotonic_ns() < give_up_ns) {
    do_later(id, [this, launch, give_up_ns] { this->launch(launch, give_up_ns); });
    return;
  }
  report(id, {.cause = "not_started",
              .message =
                  fmt::format("cannot start its keeper in '{}': {}", files_.attempt_folder(id), system_reason(error)),
              .ended_ns = now_ns()});
}

int ProcessExecutor::launch_now(const Launch& launch, Entry& entry) {
  const AttemptId id{launch.task, launch.attempt};
  Descriptor live;
  if (const int error = files_.create(id, live)) return error;
  const std::string own_folder = files_.attempt_folder(id);
  const keeper::KeeperLaunch text{.command = launch.command,
                                  .environment = task_environment(launch, own_folder),
                                  .folder = launch.folder.empty() ? own_folder : launch.folder,
                                  .output = files_.output(id),
                                  .time_limit_ns = launch.time_limit_ns.value_or(0),
                                  .grace_ns = launch.grace_ns,
                                  .output_limit_bytes = launch.output_limit_bytes,
                                  .task = launch.task,
                                  .attempt = launch.attempt};
  KeeperProgram::Started started;
  const KeeperProgram::Files files{.live = live.get(), .live_folder = live_folder_.get(), .bell = bell_end_.get()};
  if (const int error = program_.start(text, files, started)) {
    unlink(files_.live_file(id).c_str());
    return error;
  }
  if (started.handle) {
    follow(entry, {.id = id, .pid = started.pid, .is_child = true, .handle = std::move(started.handle)});
  } else {
    strays_.push_back(started.pid);
    settle_later(id);
  }
  return 0;
}

void ProcessExecutor::follow(Entry& entry, Keeper keeper) {
  const uint64_t number = next_keeper_++;
  {
    const std::scoped_lock lock(mutex_);
    entry.keeper = number;
    entry.pause_ns = 0;
  }
  members_.add(keeper.id, keeper.pid, files_.attempt_folder(keeper.id));
  folders_.grows(keeper.id.first);
  epoll_event event{.events = EPOLLIN, .data = {.u64 = number}};
  epoll_ctl(events_.get(), EPOLL_CTL_ADD, keeper.handle.get(), &event);
  if (entry.cancelled || !entry.is_wanted) send_cancel(keeper.handle.get());
  keepers_.emplace(number, std::move(keeper));
}

/// A request ends with the service; the file tells the next one that it was sent.
void ProcessExecutor::ask_worker(const Launch& launch) {
  const AttemptId id{launch.task, launch.attempt};
  Descriptor live;
  if (files_.create(id, live) == 0) {
    const keeper::KeeperRecord record{.is_worker_request = true, .boot = keeper::boot_id()};
    [[maybe_unused]] const bool written = keeper::write_record(live.get(), keeper::kKeeperOffset, record_text(record));
  }
  workers_->start(launch, files_.output(id));
}

// Ending

void ProcessExecutor::cancel(int64_t task, int64_t attempt) {
  post([this, id = AttemptId{task, attempt}] { cancel_now(id); });
}

void ProcessExecutor::cancel_now(AttemptId id) {
  Entry* const entry = find(id);
  if (entry == nullptr || entry->is_over) return;
  entry->cancelled = true;
  if (entry->is_inference) workers_->cancel(id.first, id.second);
  if (entry->keeper != 0) send_cancel(keepers_.at(entry->keeper).handle.get());
}

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
  if (const auto end = live ? keeper::read_end_record(live.get()) : std::nullopt) report(id, *end);
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
  if (const auto end = keeper::read_end_record(live.get())) return report(id, *end);
  if (flock(live.get(), LOCK_EX | LOCK_NB) == 0) return settle_free(id, live.get());
  const auto record = keeper::read_keeper_record(live.get());
  if (!record || !follow_living(id, *record)) settle_later(id);
}

void ProcessExecutor::settle_later(AttemptId id) {
  do_later(id, [this, id] { settle(id); });
}

/// No keeper has it any more.
void ProcessExecutor::settle_free(AttemptId id, int live) {
  // It may have written the end between that look and its own end.
  if (const auto end = live < 0 ? std::nullopt : keeper::read_end_record(live)) return report(id, *end);
  const auto record = live < 0 ? std::nullopt : keeper::read_keeper_record(live);
  keeper::EndRecord end{.cause = "lost", .ended_ns = now_ns()};
  if (!record && !files_.host_restarted()) {
    end.cause = "not_started";
    end.message = never_started_text(find(id)->keeper_status);
    return report(id, end);
  }
  if (!record || record->boot != keeper::boot_id()) {
    end.message = "the host went down";
    return report(id, end);
  }
  if (record->is_worker_request) {
    end.message = "the service ended before the worker answered";
    return report(id, end);
  }
  if (kill_orphans(*record, files_.attempt_folder(id)) > 0) return settle_later(id);
  end.message = "its keeper (sonde-keeper) was killed, and what was left of the task ended";
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
  EndReport told{.task = id.first,
                 .attempt = id.second,
                 .cause = cause_of(end.cause).value_or(EndCause::lost),
                 .exit_status = end.exit_status,
                 .signal = end.signal,
                 .message = end.message,
                 .ended_ns = end.ended_ns};
  const bool failed = (told.cause == EndCause::exit && told.exit_status != 0) || told.cause == EndCause::signal;
  if (failed && ran_out_of_gpu_memory(id)) told.cause = EndCause::out_of_memory;
  {
    const std::scoped_lock lock(mutex_);
    entry->is_over = true;
    entry->never_ran = told.cause == EndCause::not_started;
  }
  ended_(std::move(told));
}

/// What it printed goes only where it ran on without anybody's knowledge; one whose end was saved keeps it.
void ProcessExecutor::clear_unwanted(AttemptId id, const Entry& entry) {
  if (entry.was_found) folders_.remove_attempt(id.first, id.second);
  clear(id);
}

/// Its end is kept like that of a command, so that it is told of again until it is collected.
void ProcessExecutor::worker_ended(const EndReport& report) {
  const AttemptId id{report.task, report.attempt};
  const keeper::EndRecord end{.cause = std::string(cause_name(report.cause)),
                              .exit_status = report.exit_status,
                              .signal = report.signal,
                              .message = report.message,
                              .ended_ns = report.ended_ns};
  const Descriptor live(::open(files_.live_file(id).c_str(), O_RDWR | O_CLOEXEC));
  if (live && keeper::write_record(live.get(), keeper::kEndOffset, record_text(end))) fsync(live.get());
  this->report(id, end);
}

bool ProcessExecutor::ran_out_of_gpu_memory(AttemptId id) const {
  constexpr int64_t kEnd = 16 << 10;
  for (const char* const ending : {".stderr", ".stdout"}) {
    const auto part = read_log(files_.output(id) + ending, -kEnd, kEnd, true);
    if (part && tells_of_full_gpu_memory(part->text)) return true;
  }
  return false;
}

// After a restart

void ProcessExecutor::adopt(std::span<const std::pair<int64_t, int64_t>> running) {
  {
    const std::scoped_lock lock(mutex_);
    for (const AttemptId& id : running) entries_.try_emplace(id);
  }
  post([this, wanted = std::set<AttemptId>(running.begin(), running.end())] { adopt_now(wanted); });
}

void ProcessExecutor::adopt_now(const std::set<AttemptId>& running) {
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

void ProcessExecutor::collected(int64_t task, int64_t attempt) {
  post([this, id = AttemptId{task, attempt}] { clear(id); });
}

void ProcessExecutor::clear(AttemptId id) {
  unlink(files_.live_file(id).c_str());
  const std::scoped_lock lock(mutex_);
  entries_.erase(id);
}

// Questions

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
  const auto record = live ? keeper::read_keeper_record(live.get()) : std::nullopt;
  if (!record || record->task == 0) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  if (const auto at = entries_.find(id); at != entries_.end()) at->second.task = record->task;
  return record->task;
}

Result<LogPart> ProcessExecutor::log(int64_t task, int64_t attempt, LogStream stream, int64_t from,
                                     int64_t most) const {
  const AttemptId id{task, attempt};
  bool over = true;
  {
    const std::scoped_lock lock(mutex_);
    const auto at = entries_.find(id);
    if (at != entries_.end()) over = at->second.is_over;
  }
  std::error_code error;
  if (over && !std::filesystem::exists(files_.attempt_folder(id), error)) {
    return fail("there is no output of attempt {} of task {}: it was removed, or never started", attempt, task);
  }
  return read_log(files_.output(id) + (stream == LogStream::out ? ".stdout" : ".stderr"), from, most, over);
}

std::string ProcessExecutor::folder_of(int64_t task, int64_t attempt) const {
  return files_.attempt_folder({task, attempt});
}

void ProcessExecutor::remove(int64_t task) { folders_.remove(task); }

int64_t ProcessExecutor::bytes() const { return folders_.bytes(); }

Result<std::unique_ptr<Executor>> Executor::open(const std::string& folder, std::function<void(EndReport)> ended) {
  auto files = AttemptFiles::open(folder);
  if (!files) return std::unexpected(files.error());
  auto program = KeeperProgram::find();
  if (!program) return std::unexpected(program.error());
  Descriptor live_folder(::open(files->live_folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!live_folder) return fail("cannot open '{}': {}", files->live_folder(), system_reason(errno));
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return fail("cannot run tasks: {}", system_reason(errno));
  return std::make_unique<ProcessExecutor>(std::move(*files), std::move(live_folder),
                                           std::array{Descriptor(ends[0]), Descriptor(ends[1])}, std::move(*program),
                                           std::move(ended));
}

}  // namespace sonde::dispatch
