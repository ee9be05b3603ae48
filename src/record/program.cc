#include "record/program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <initializer_list>
#include <ranges>
#include <system_error>
#include <utility>

#include "base/system/environment.h"
#include "base/system/spawn_settings.h"
#include "base/system/system_reason.h"
#include "base/time_units.h"

namespace sonde::record {
namespace {

constexpr std::array kForwarded = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

sigset_t set_of(std::initializer_list<int> numbers) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : numbers) sigaddset(&set, number);
  return set;
}

/// A write beyond a limit on the size of files (ulimit -f) is an error here, not the end.
sigset_t waited_for() { return set_of({SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD, SIGXFSZ}); }

void hide_output() {
  const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nothing < 0) return;
  dup2(nothing, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
}

/// Where this process was asked to ignore SIGCHLD, its children would vanish without a status.
struct sigaction take_ends_of_children() {
  struct sigaction keep{};
  struct sigaction before{};
  keep.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &keep, &before);
  return before;
}

/// Where the child waits until it may become the program. When the recorder is gone, it may.
class Gate {
 public:
  explicit Gate(bool wanted) : open_(!wanted || pipe2(ends_.data(), O_CLOEXEC) != 0) {}

  /// In the child: whether it may.
  [[nodiscard]] bool wait() const {
    if (open_) return true;
    close(ends_[1]);
    char byte = 0;
    ssize_t got = 0;
    do {
      got = read(ends_[0], &byte, sizeof byte);
    } while (got < 0 && errno == EINTR);
    return got == 0;
  }

  /// It may not: whatever is written says so.
  void refuse() const {
    if (open_) return;
    const char byte = 0;
    [[maybe_unused]] const auto written = write(ends_[1], &byte, sizeof byte);
  }

  void open() {
    if (open_) return;
    close(ends_[0]);
    close(ends_[1]);
    open_ = true;
  }

 private:
  std::array<int, 2> ends_{};
  bool open_;
};

/// In the child: becomes the program, or tells why not through the pipe.
[[noreturn]] void become(char** words, char** environment, const SignalState& before, bool show_output, int report,
                         const Gate& gate) {
  constexpr int kCannotRun = 127;
  if (!gate.wait()) _exit(kCannotRun);
  if (!show_output) hide_output();
  before.put_back();
  execvpe(words[0], words, environment);
  const int error = errno;
  [[maybe_unused]] const auto written = write(report, &error, sizeof error);
  _exit(kCannotRun);
}

/// What the child says of a program that it could not become: nothing is 0.
int error_of_start(int report) {
  int error = 0;
  ssize_t got = 0;
  do {
    got = read(report, &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  return got == sizeof error ? error : 0;
}

/// What the system says of a file that cannot be run is short of what people do wrong.
std::string why_not_run(const std::string& word, int error) {
  struct stat file{};
  const bool exists = stat(word.c_str(), &file) == 0;
  const bool in_path = !word.contains('/');
  const auto because = [&](std::string_view why) { return fmt::format("cannot run {}: {}", word, why); };
  if (exists && S_ISDIR(file.st_mode)) return because("it is a directory");
  if (in_path && error == ENOENT) {
    return because(exists ? fmt::format("no directory in PATH contains it; run it as ./{}, or run a script with "
                                        "its interpreter, as in python3 {}",
                                        word, word)
                          : "no directory in PATH contains a program with this name");
  }
  if (in_path || !exists) return because(system_reason(error));
  if (error == EACCES) {
    return because(
        fmt::format("it is not executable; run chmod +x {}, or run a script with its "
                    "interpreter, as in python3 {}",
                    word, word));
  }
  return because(error == ENOENT ? "its interpreter or dynamic loader does not exist" : system_reason(error));
}

/// 0 where it may be executed, else the error that execve() has.
int error_of_file(const std::string& path) {
  struct stat file{};
  if (stat(path.c_str(), &file) != 0) return errno;
  if (!S_ISREG(file.st_mode)) return EACCES;
  return faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

/// What execvpe() looks through; an empty folder is this one.
std::string search_path() {
  const char* own = getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nothing here changes the environment.
  if (own != nullptr) return *own == '\0' ? ":" : own;
  std::string usual(confstr(_CS_PATH, nullptr, 0), '\0');
  usual.resize(confstr(_CS_PATH, usual.data(), usual.size()) - 1);
  return usual;
}

/// As execvpe() has it: one that may not be executed is passed over, and reported where no other is found.
int error_in_path(const std::string& word) {
  int error = ENOENT;
  for (const auto folder : search_path() | std::views::split(':')) {
    std::string path(folder.begin(), folder.end());
    if (!path.empty()) path += '/';
    const int why = error_of_file(path + word);
    if (why == 0) return 0;
    if (why == EACCES) error = EACCES;
  }
  return error;
}

}  // namespace

Status find_program(const std::string& word) {
  const int error = word.empty() ? ENOENT : word.contains('/') ? error_of_file(word) : error_in_path(word);
  if (error == 0) return {};
  return std::unexpected(Error{why_not_run(word, error)});
}

void SignalState::put_back() const {
  sigaction(SIGCHLD, &of_children, nullptr);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

Result<Program> Program::start(const ProgramOptions& options) {
  std::vector<std::string> words = options.words;
  std::vector<std::string> environment = environment_with(options.environment);
  const std::vector<char*> arguments = pointers_to(words);
  const std::vector<char*> variables = pointers_to(environment);
  std::array<int, 2> report{};
  if (pipe2(report.data(), O_CLOEXEC) != 0) return fail("cannot run {}: {}", words.front(), system_reason(errno));
  const sigset_t blocked = waited_for();
  SignalState before{};
  pthread_sigmask(SIG_BLOCK, &blocked, &before.mask);
  before.of_children = take_ends_of_children();
  Gate gate(options.before_exec != nullptr);
  const pid_t child = fork();
  const int error = errno;
  if (child == 0) {
    become(const_cast<char**>(arguments.data()), const_cast<char**>(variables.data()), before, options.show_output,
           report[1], gate);
  }
  close(report[1]);
  const Status allowed = child > 0 && options.before_exec ? options.before_exec(child) : Status{};
  if (!allowed) gate.refuse();
  gate.open();
  Program program(child, before);
  const int failed = child < 0 ? error : error_of_start(report[0]);
  close(report[0]);
  if (!allowed) return program.give_up(allowed.error());
  if (failed != 0) return program.give_up({why_not_run(words.front(), failed)});
  return program;
}

Result<Program> Program::follow(pid_t process) {
  Descriptor running(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
  if (!running && errno == ESRCH) return fail("cannot attach: no process has the ID {}", process);
  if (!running) return fail("cannot attach to process {}: {}", process, system_reason(errno));
  const sigset_t blocked = waited_for();
  SignalState before{};
  pthread_sigmask(SIG_BLOCK, &blocked, &before.mask);
  before.of_children = take_ends_of_children();
  return Program(process, before, std::move(running));
}

bool Program::has_ended() {
  if (!is_own()) {
    pollfd ends{.fd = running_.get(), .events = POLLIN, .revents = 0};
    return poll(&ends, 1, 0) > 0;
  }
  const pid_t got = waitpid(process_, &status_, WNOHANG);
  return got == process_ || (got < 0 && errno == ECHILD);
}

std::unexpected<Error> Program::give_up(Error why) {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    reap();
  } else {
    before_.put_back();
  }
  return std::unexpected(std::move(why));
}

Program::Program(Program&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      before_(other.before_),
      running_(std::move(other.running_)),
      known_(other.known_),
      status_(other.status_),
      ended_(other.ended_) {}

Program::~Program() {
  if (process_ < 0) return;
  const sigset_t late = waited_for();
  const timespec at_once{};
  while (sigtimedwait(&late, nullptr, &at_once) > 0) continue;
  before_.put_back();
}

void Program::reap() {
  pid_t got = 0;
  do {
    got = waitpid(process_, &status_, 0);
  } while (got < 0 && errno == EINTR);
  ended_ = true;
}

void Program::wait(int64_t most_ns) {
  const sigset_t signals = waited_for();
  const timespec limit{most_ns / kNsPerSecond, most_ns % kNsPerSecond};
  siginfo_t info{};
  const int signal = sigtimedwait(&signals, &info, &limit);
  const bool reached_both = is_own() && info.si_code > 0;  // of the terminal
  if (std::ranges::find(kForwarded, signal) != kForwarded.end()) {
    asked_to_end_ = ended_;
    note(signal);
    if (!reached_both) pending_.push_back(signal);
  }
  if (!ended_) ended_ = has_ended();
}

int Program::take_signal() {
  if (pending_.empty()) return 0;
  const int signal = pending_.front();
  pending_.pop_front();
  return signal;
}

void Program::send(int signal) {
  if (ended_) return;
  note(signal);
  kill(process_, signal);
}

int Program::exit_code() const {
  constexpr int kSignalled = 128;
  return WIFEXITED(status_) ? WEXITSTATUS(status_) : kSignalled + signal();
}

int Program::signal() const { return WIFSIGNALED(status_) ? WTERMSIG(status_) : 0; }

int Program::crash() const {
  const int number = signal();
  if (number == 0 || sigismember(&known_, number) == 1) return 0;
  sigset_t pending;  // of the terminal, and not looked at yet
  sigpending(&pending);
  return sigismember(&pending, number) == 1 ? 0 : number;
}

}  // namespace sonde::record
