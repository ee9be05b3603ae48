#include "base/system/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "base/files/descriptor.h"
#include "base/system/clock.h"
#include "base/system/environment.h"
#include "base/system/process_handle.h"
#include "base/system/spawn_settings.h"
#include "base/system/system_reason.h"

namespace sonde {
namespace {

/// A pipe that never blocks. It is made once and stays: a handler may still be about to write to it in some thread when
/// the runner ends, and the number must not be another file's by then.
struct SignalPipe {
  std::array<int, 2> ends{-1, -1};

  SignalPipe() {
    if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) ends = {-1, -1};
  }
};

const SignalPipe& signal_pipe() {
  static const SignalPipe pipe;
  return pipe;
}

std::atomic<int> signal_pipe_entry = -1;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler reads it");

extern "C" void note_signal(int signal) {
  const int error = errno;
  const auto number = static_cast<unsigned char>(signal);
  [[maybe_unused]] const auto written = write(signal_pipe_entry.load(), &number, sizeof number);  // full: one is enough
  errno = error;
}

/// Notes the signals that end this program, whichever of its threads takes them, as long as it lives. Those that are
/// ignored (as under nohup) stay so. A mask would not do: it is that of one thread, and the others' would have to have
/// been the same from their start.
class EndingSignals {
 public:
  EndingSignals() {
    signal_pipe_entry = signal_pipe().ends[1];
    struct sigaction noting{};
    noting.sa_handler = note_signal;
    noting.sa_flags = SA_RESTART;
    sigemptyset(&noting.sa_mask);
    for (auto& [number, before] : before_) {
      sigaction(number, nullptr, &before);
      if (before.sa_handler != SIG_IGN) sigaction(number, &noting, nullptr);
    }
  }
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;
  /// What nobody asked for has its usual effect now.
  ~EndingSignals() {
    for (const auto& [number, before] : before_) sigaction(number, &before, nullptr);
    while (const int number = next()) {
      if (!came_) raise(number);
    }
  }

  /// Readable once one came.
  [[nodiscard]] static int handle() { return signal_pipe().ends[0]; }

  [[nodiscard]] bool came() {
    if (next() != 0) came_ = true;
    return came_;
  }

 private:
  struct Before {
    int number;
    struct sigaction action;
  };

  /// The number of the next one, or 0.
  [[nodiscard]] static int next() {
    unsigned char number = 0;
    return read(handle(), &number, sizeof number) == sizeof number ? number : 0;
  }

  std::array<Before, 3> before_{Before{SIGINT, {}}, Before{SIGTERM, {}}, Before{SIGHUP, {}}};
  bool came_ = false;
};

/// A process group that is waited for.
class Group {
 public:
  Group(pid_t leader, Descriptor handle) : leader_(leader), handle_(std::move(handle)) {}

  [[nodiscard]] int handle() const { return handle_.get(); }
  void signal(int number) const { kill(-leader_, number); }

  /// After its leader ended. `cancelled`: nothing of the group may be left; its leader is not yet forgotten then, so
  /// that no other group can have its number.
  void reap(bool cancelled, SubprocessEnd& end) const {
    siginfo_t info{};
    while (waitid(P_PID, static_cast<id_t>(leader_), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
    }
    if (cancelled) signal(SIGKILL);
    int status = 0;
    while (waitpid(leader_, &status, 0) < 0 && errno == EINTR) {
    }
    end.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }

 private:
  pid_t leader_;
  Descriptor handle_;
};

constexpr int64_t kForever = std::numeric_limits<int64_t>::max();

/// 0 or the error's number.
int spawn(const Subprocess& program, pid_t& child) {
  constexpr mode_t kMode = 0666;
  SpawnSettings settings(SpawnSettings::Leads::group);
  settings.open_as(STDIN_FILENO, "/dev/null", O_RDONLY);
  if (!program.output_file.empty()) {
    settings.open_as(STDOUT_FILENO, program.output_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, kMode);
    settings.hand_over(STDOUT_FILENO, STDERR_FILENO);
  }
  if (!program.folder.empty()) settings.run_in(program.folder);
  std::vector<std::string> words = program.words;
  std::vector<std::string> environment = environment_with(program.environment);
  return settings.spawn_by_name(words.front().c_str(), pointers_to(words).data(), pointers_to(environment).data(),
                                child);
}

class SystemRunner final : public SubprocessRunner {
 public:
  explicit SystemRunner(int64_t grace_ns) : grace_ns_(grace_ns) {}

  Result<SubprocessEnd> run(const Subprocess& program) override {
    if (interrupted()) return SubprocessEnd{.interrupted = true};
    const int64_t begin = monotonic_ns();
    auto group = start(program);
    if (!group) return std::unexpected(group.error());
    SubprocessEnd end = wait(*group, begin, program.time_limit_ns);
    end.wall_ns = monotonic_ns() - begin;
    group->reap(end.timed_out || end.interrupted, end);
    return end;
  }

  bool interrupted() override { return signals_.came(); }

 private:
  static Result<Group> start(const Subprocess& program) {
    pid_t child = 0;
    const int error = spawn(program, child);
    if (error != 0) {
      return fail("cannot run {}: {}{}", program.words.front(), system_reason(error),
                  error == ENOENT ? "; is it installed, and in PATH?" : "");
    }
    Descriptor handle = process_handle(child);
    if (handle) return Group(child, std::move(handle));
    kill(-child, SIGKILL);
    waitpid(child, nullptr, 0);
    return fail("cannot wait for {}: {}; Linux 5.3 or later is needed", program.words.front(), system_reason(errno));
  }

  /// Until the group's leader ends, whoever ends it.
  SubprocessEnd wait(const Group& group, int64_t begin, std::optional<int64_t> limit_ns) {
    SubprocessEnd end;
    int64_t until = limit_ns ? begin + *limit_ns : kForever;
    bool asked = false;
    while (!ends_until(group, until, asked)) {
      if (asked) {
        group.signal(SIGKILL);
        until = kForever;
        continue;
      }
      end.interrupted = interrupted();
      end.timed_out = !end.interrupted;
      group.signal(SIGTERM);
      asked = true;
      until = monotonic_ns() + grace_ns_;
    }
    return end;
  }

  /// True once the leader ended; false when time is over or, unless `asked` is set, this program is to end.
  bool ends_until(const Group& group, int64_t until, bool asked) {
    for (;;) {
      std::array<pollfd, 2> ready{pollfd{group.handle(), POLLIN, 0},
                                  pollfd{asked ? -1 : EndingSignals::handle(), POLLIN, 0}};
      const int64_t left = until == kForever ? 0 : std::max<int64_t>(0, until - monotonic_ns());
      const timespec timeout{left / 1'000'000'000, left % 1'000'000'000};
      const int count = ppoll(ready.data(), ready.size(), until == kForever ? nullptr : &timeout, nullptr);
      if (ready[0].revents != 0) return true;
      if (count == 0 || (ready[1].revents != 0 && interrupted())) return false;
    }
  }

  int64_t grace_ns_;
  EndingSignals signals_;
};

}  // namespace

std::string end_text(const SubprocessEnd& end) {
  if (end.interrupted) return "interrupted";
  if (end.timed_out) return "stopped after its time limit";
  if (end.signal != 0) {
    // Constant texts, but for a signal without a name, whose text is the thread's own.
    const char* const text = strsignal(end.signal);  // NOLINT(concurrency-mt-unsafe)
    return fmt::format("killed by signal {} ({})", end.signal, text);
  }
  return fmt::format("exit status {}", end.status);
}

std::unique_ptr<SubprocessRunner> system_subprocess_runner(int64_t grace_ns) {
  return std::make_unique<SystemRunner>(grace_ns);
}

Result<std::string> output_of(SubprocessRunner& runner, Subprocess program, const std::string& scratch) {
  program.output_file = scratch;
  const auto end = runner.run(program);
  if (!end) return std::unexpected(end.error());
  std::ifstream stream(scratch, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  std::error_code ignored;
  std::filesystem::remove(scratch, ignored);
  if (!end->succeeded()) return fail("{}: {}", program.words.front(), end_text(*end));
  return text;
}

}  // namespace sonde
