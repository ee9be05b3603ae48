#include "dispatch/keeper/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <optional>
#include <string>

#include "base/system/boot_id.h"
#include "dispatch/keeper/attempt_record.h"
#include "dispatch/keeper/descendants.h"
#include "dispatch/keeper/launch_text.h"
#include "dispatch/keeper/output_file.h"
#include "dispatch/keeper/task_process.h"

namespace sonde::dispatch::keeper {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
/// In which a service that heard of an end has it in its database, synced: the same is then not synced here too, which
/// costs more than all else that a keeper of a short task does.
constexpr timespec kCollecting{.tv_sec = 0, .tv_nsec = 50'000'000};

int64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * kSecond + now.tv_nsec;
}
int64_t monotonic_ns() { return clock_ns(CLOCK_MONOTONIC); }

/// What ends processes by default, or for which no process has use that must outlive others, is ignored; SIGTERM and
/// SIGCHLD are read from the descriptor that is returned. Nobody else's end is this one's.
Descriptor take_signals() {
  struct sigaction ignoring{};
  ignoring.sa_handler = SIG_IGN;
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2, SIGTSTP, SIGTTIN, SIGTTOU,
                           SIGXFSZ, SIGXCPU, SIGVTALRM, SIGPROF, SIGIO, SIGPWR}) {
    sigaction(number, &ignoring, nullptr);
  }
  sigset_t read{};
  sigemptyset(&read);
  sigaddset(&read, SIGTERM);
  sigaddset(&read, SIGCHLD);
  pthread_sigmask(SIG_SETMASK, &read, nullptr);
  return Descriptor(signalfd(-1, &read, SFD_CLOEXEC | SFD_NONBLOCK));
}

std::optional<KeeperLaunch> read_launch() {
  struct stat found{};
  if (fstat(kLaunchFile, &found) != 0) return std::nullopt;
  std::string text(static_cast<size_t>(found.st_size), '\0');
  if (pread(kLaunchFile, text.data(), text.size(), 0) != found.st_size) return std::nullopt;
  close(kLaunchFile);
  return parse_launch(text);
}

/// What the folder's entries say survives a power cut after this.
void sync_folder(const std::string& path) {
  const Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder) fsync(folder.get());
}
std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

class Keeper {
 public:
  Keeper(KeeperLaunch launch, Descriptor signals)
      : launch_(std::move(launch)),
        attempt_(attempt_name(launch_.task, launch_.attempt)),
        signals_(std::move(signals)),
        files_{OutputFile(launch_.output + ".stdout", launch_.output_limit_bytes),
               OutputFile(launch_.output + ".stderr", launch_.output_limit_bytes)} {}

  int run();

 private:
  [[nodiscard]] bool start();
  void wait_for_events();
  [[nodiscard]] int patience_ms() const;
  void read_signals();
  void reap();
  void end_what_is_left();
  void ask_to_end(const char* cause, std::string message);
  void on_time();
  void read_output(size_t stream);
  void read_what_is_left();
  [[nodiscard]] EndRecord end() const;
  void save(EndRecord end) const;
  [[nodiscard]] bool ring() const;
  [[nodiscard]] bool is_collected() const;
  void sync_output() const;

  KeeperLaunch launch_;
  std::string attempt_;  ///< its name
  Descriptor signals_;
  std::array<OutputFile, 2> files_;
  TaskProcess task_;
  KeeperRecord record_;
  std::optional<int64_t> time_limit_at_;  ///< until it is asked to end
  std::optional<int64_t> kill_at_;        ///< once something has, or only children are left
  std::optional<int> status_;             ///< of the first process, as waitpid() has it
  bool none_left_ = false;
  bool children_were_asked_ = false;
  const char* cause_ = nullptr;  ///< where it did not end by itself
  std::string message_;
  Killer killer_;
};

bool Keeper::start() {
  const auto self = find_process(getpid());
  record_ = {.boot = boot_id(), .keeper = getpid(), .keeper_start = self ? self->start_ticks : 0, .attempt = attempt_};
  posix_fallocate(kAttemptFile, 0, kEndOffset + int64_t{kRecordBytes});  // so that a full disk takes no end away
  if (!write_record(kAttemptFile, kKeeperOffset, record_text(record_))) {
    message_ = "cannot write the attempt's file: the disk is full or has errors";
    return false;
  }
  task_ = start_task(launch_);
  message_ = task_.trouble;
  if (!task_.trouble.empty()) return false;
  if (const auto process = find_process(task_.pid)) record_.task_start = process->start_ticks;
  record_.task = task_.pid;
  // Without it the task's process is found again by its environment only.
  [[maybe_unused]] const bool written = write_record(kAttemptFile, kKeeperOffset, record_text(record_));
  if (launch_.time_limit_ns > 0) time_limit_at_ = monotonic_ns() + launch_.time_limit_ns;
  return true;
}

int Keeper::run() {
  if (!start()) {
    save({.cause = "not_started", .message = message_, .ended_ns = clock_ns(CLOCK_REALTIME)});
    return 0;
  }
  while (!status_ || !none_left_) {
    wait_for_events();
    read_signals();
    read_output(0);
    read_output(1);
    on_time();
  }
  read_what_is_left();
  save(end());
  return 0;
}

void Keeper::wait_for_events() {
  std::array<pollfd, 3> events{pollfd{signals_.get(), POLLIN, 0}, pollfd{task_.streams[0].get(), POLLIN, 0},
                               pollfd{task_.streams[1].get(), POLLIN, 0}};
  poll(events.data(), events.size(), patience_ms());
}

int Keeper::patience_ms() const {
  std::optional<int64_t> next = kill_at_ ? kill_at_ : time_limit_at_;
  if (killer_.next_ns()) next = killer_.next_ns();
  if (!next) return -1;
  constexpr int64_t kLongest = 1000 * kSecond;  // poll() takes milliseconds as int
  const int64_t left = std::clamp<int64_t>(*next - monotonic_ns(), 0, kLongest);
  return static_cast<int>((left + 999'999) / 1'000'000);
}

void Keeper::read_signals() {
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGCHLD) continue;
    if (info.ssi_code == SI_QUEUE && info.ssi_int == kCancelMark) {
      ask_to_end("cancelled", {});
    } else {
      ask_to_end("lost", "process " + std::to_string(info.ssi_pid) + " of user " + std::to_string(info.ssi_uid) +
                             " sent SIGTERM to the task's supervisor, as during a host shutdown");
    }
  }
  reap();
}

void Keeper::reap() {
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(-1, &status, WNOHANG);
    if (ended < 0 && errno == EINTR) continue;
    none_left_ = ended < 0;  // ECHILD: every process that comes from the task is this one's child in the end
    if (ended <= 0) break;
    if (ended == task_.pid) status_ = status;
  }
  if (status_ && !none_left_ && !children_were_asked_) end_what_is_left();
}

/// Processes that the first process left running still hold its GPU: they are terminated too.
void Keeper::end_what_is_left() {
  children_were_asked_ = true;
  time_limit_at_.reset();
  const auto left = living_descendants();
  if (!kill_at_) kill_at_ = monotonic_ns() + launch_.grace_ns;
  if (message_.empty() && !left.empty())
    message_ = "it left processes running, which were terminated: " + std::to_string(left.size());
  for (const Process& process : left) {
    if (cause_ != nullptr && process.group == task_.pid) continue;  // it was asked before
    kill(process.pid, SIGTERM);
    kill(process.pid, SIGCONT);
  }
}

void Keeper::ask_to_end(const char* cause, std::string message) {
  if (cause_ != nullptr || status_) return;  // it ends already
  cause_ = cause;
  message_ = std::move(message);
  time_limit_at_.reset();
  kill_at_ = monotonic_ns() + launch_.grace_ns;
  kill(-task_.pid, SIGTERM);
  kill(-task_.pid, SIGCONT);  // one that is stopped would not hear of it
}

void Keeper::on_time() {
  const int64_t now = monotonic_ns();
  if (time_limit_at_ && now >= *time_limit_at_) ask_to_end("time_limit", {});
  if (kill_at_ && now >= *kill_at_ && !(status_ && none_left_)) killer_.kill_all(now);
}

void Keeper::read_output(size_t stream) {
  Descriptor& from = task_.streams[stream];
  if (!from) return;
  static std::array<char, kLongestChunk> buffer;
  const ssize_t count = ::read(from.get(), buffer.data(), buffer.size());
  if (count > 0) files_[stream].append({buffer.data(), static_cast<size_t>(count)});
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) from.reset();
}

/// A process outside the task that was given its output could write for ever; what the pipe holds is the task's.
void Keeper::read_what_is_left() {
  constexpr int kMaxReads = 64;  // of 64 KiB: a pipe holds 1 MiB at most
  for (size_t stream = 0; stream < files_.size(); ++stream) {
    for (int i = 0; i < kMaxReads && task_.streams[stream]; ++i) {
      const int64_t before = files_[stream].total();
      read_output(stream);
      if (files_[stream].total() == before) break;
    }
  }
}

EndRecord Keeper::end() const {
  EndRecord end{.cause = "exit", .message = message_, .ended_ns = clock_ns(CLOCK_REALTIME)};
  const int status = status_.value_or(0);
  if (WIFEXITED(status)) end.exit_status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  if (end.signal) end.cause = "signal";
  if (cause_ != nullptr) end.cause = cause_;
  const auto add = [&](const std::string& sentence) { end.message += (end.message.empty() ? "" : "; ") + sentence; };
  if (cause_ != nullptr && killer_.killed()) {
    add("it did not exit within " + std::to_string(launch_.grace_ns / kSecond) + " s of SIGTERM and was killed");
  }
  const int64_t lost = files_[0].lost() + files_[1].lost();
  if (lost > 0) add(std::to_string(lost) + " bytes of its output are lost: they could not be written to the disk");
  return end;
}

/// For as long as it takes: a full disk gets room again. Only for an attempt that nobody keeps any more nobody waits.
void Keeper::save(EndRecord end) const {
  constexpr timespec kPause{.tv_sec = 1, .tv_nsec = 0};
  sync_output();
  end.attempt = attempt_;
  const std::string text = record_text(end);
  bool rang = false;
  for (;;) {
    const bool written = write_record(kAttemptFile, kEndOffset, text);
    if (written && !rang && ring()) nanosleep(&kCollecting, nullptr);
    rang = rang || written;
    if (is_collected() || (written && fsync(kAttemptFile) == 0 && fsync(kLiveFolder) == 0)) break;
    nanosleep(&kPause, nullptr);
  }
}

/// False where no service listens. One that was only just killed is noticed by who starts next: the end is in the file.
bool Keeper::ring() const {
  const BellWord word{.task = launch_.task, .attempt = launch_.attempt};
  return write(kBell, &word, sizeof word) == sizeof word;
}

/// Whether the end is in the service's database, or somebody removed the attempt's file.
bool Keeper::is_collected() const { return faccessat(kLiveFolder, attempt_.c_str(), F_OK, 0) != 0 && errno == ENOENT; }

/// Before its end is told, which says that it is whole. Output that the disk does not take is no reason to keep that
/// back.
void Keeper::sync_output() const {
  if (files_[0].is_empty() && files_[1].is_empty()) return;
  for (const OutputFile& file : files_) [[maybe_unused]]
    const bool kept = file.sync();
  const std::string task_folder = folder_of(launch_.output);
  sync_folder(task_folder);
  sync_folder(folder_of(task_folder));
}

}  // namespace

int run() {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  Descriptor signals = take_signals();
  auto launch = read_launch();
  if (!launch) return 2;  // of a service of another version
  return Keeper(std::move(*launch), std::move(signals)).run();
}

}  // namespace sonde::dispatch::keeper
