#include "dispatch/executor/process_executor.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/system/boot_id.h"
#include "base/system/system_reason.h"
#include "dispatch/executor/moments.h"
#include "dispatch/executor/task_environment.h"

namespace sonde::dispatch {
namespace {

constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kSecond = 1'000'000'000;
/// How long a start is tried again where the host has no room for it just now: processes, memory, disk.
constexpr int64_t kStartTimeout = 60 * kSecond;
constexpr int64_t kShortestPause = 10 * kMillisecond;

bool can_pass(int error) {
  constexpr std::array<int, 9> kPassing = {EAGAIN, ENOMEM, ENOSPC, EDQUOT, EMFILE, ENFILE, EROFS, EIO, ETXTBSY};
  return std::ranges::find(kPassing, error) != kPassing.end();
}

}  // namespace

ProcessExecutor::ProcessExecutor(AttemptFiles files, Descriptor live_folder, std::array<Descriptor, 2> bell,
                                 KeeperProgram program, std::function<void(EndReport)> ended)
    : files_(std::move(files)),
      live_folder_(std::move(live_folder)),
      ended_(std::move(ended)),
      events_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      bell_(std::move(bell[0])),
      bell_end_(std::move(bell[1])),
      starter_(std::move(program), live_folder_.get(), bell_end_.get()),
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
    this->launch(launch, monotonic_ns() + kStartTimeout);
  });
}

void ProcessExecutor::launch(const Launch& launch, int64_t give_up_ns) {
  const AttemptId id{launch.task, launch.attempt};
  Entry* const entry = find(id);
  if (entry == nullptr) return;
  if (entry->cancelled) {
    report(id, {.cause = "cancelled", .message = "before it started", .ended_ns = wall_ns()});
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
              .message = fmt::format("cannot start its supervisor (sonde-keeper) in '{}': {}",
                                     files_.attempt_folder(id), system_reason(error)),
              .ended_ns = wall_ns()});
}

int ProcessExecutor::launch_now(const Launch& launch, Entry& entry) {
  const AttemptId id{launch.task, launch.attempt};
  reap_strays();
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
  KeeperStarter::Started started;
  if (const int error = starter_.start(text, live.get(), started)) {
    unlink(files_.live_file(id).c_str());
    return error;
  }
  if (started.handle) {
    follow(entry, {.id = id, .pid = started.pid, .is_child = true, .handle = std::move(started.handle)});
    return 0;
  }
  entry.keeper_status = started.lost_status;
  if (started.lost_status && is_free(id, std::move(live))) return EAGAIN;
  if (started.pid != 0) strays_.push_back(started.pid);
  settle_later(id);
  return 0;
}

/// Whether the starter was gone before there was a keeper: nothing ran then. The lock is the keeper's too.
bool ProcessExecutor::is_free(AttemptId id, Descriptor live) const {
  const std::string file = files_.live_file(id);
  live.reset();
  live.reset(::open(file.c_str(), O_RDWR | O_CLOEXEC));
  if (!live || flock(live.get(), LOCK_EX | LOCK_NB) != 0) return false;
  if (keeper::read_keeper_record(live.get(), attempt_name(id))) return false;
  unlink(file.c_str());
  return true;
}

void ProcessExecutor::follow(Entry& entry, Keeper keeper) {
  const uint64_t number = next_keeper_++;
  members_.add(keeper.id, keeper.pid, files_.attempt_folder(keeper.id));  // before pid_of() tells of its processes
  {
    const std::scoped_lock lock(mutex_);
    entry.keeper = number;
    entry.pause_ns = 0;
  }
  folders_.grows(keeper.id.first);
  epoll_event event{.events = EPOLLIN, .data = {.u64 = number}};
  epoll_ctl(events_.get(), EPOLL_CTL_ADD, keeper.handle.get(), &event);
  if (entry.cancelled || !entry.is_wanted) tell_to_end(keeper.handle.get());
  keepers_.emplace(number, std::move(keeper));
}

/// A request ends with the service; the file tells the next one that it was sent.
void ProcessExecutor::ask_worker(const Launch& launch) {
  const AttemptId id{launch.task, launch.attempt};
  Descriptor live;
  if (files_.create(id, live) == 0) {
    const keeper::KeeperRecord record{.is_worker_request = true, .boot = boot_id(), .attempt = attempt_name(id)};
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
  if (entry->keeper != 0) tell_to_end(keepers_.at(entry->keeper).handle.get());
}

void ProcessExecutor::collected(int64_t task, int64_t attempt) {
  post([this, id = AttemptId{task, attempt}] { clear(id); });
}

void ProcessExecutor::clear(AttemptId id) {
  files_.put_away(id);
  if (from_before_boot_.erase(id) != 0) remember_boot();
  const std::scoped_lock lock(mutex_);
  entries_.erase(id);
}

}  // namespace sonde::dispatch
