#include "dispatch/profiles/bounded_run.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "dispatch/executor/attempt_files.h"
#include "dispatch/executor/keeper_program.h"

namespace sonde::dispatch {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int kNice = 10;
constexpr milliseconds kLook{100};
constexpr milliseconds kGrace{5000};
constexpr mode_t kOwnerOnly = 0600;

class Settings {
 public:
  Settings() {
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    sigset_t signals{};
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  ~Settings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  Settings(const Settings&) = delete;
  Settings& operator=(const Settings&) = delete;

  void write_to(int descriptor, const std::string& file) {
    posix_spawn_file_actions_addopen(&actions_, descriptor, file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW,
                                     kOwnerOnly);
  }
  int spawn(std::vector<std::string> words, pid_t& child) const {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    return posix_spawnp(&child, arguments.front(), &actions_, &attributes_, arguments.data(), environ);
  }

 private:
  posix_spawnattr_t attributes_{};
  posix_spawn_file_actions_t actions_{};
};

/// True once it ended.
bool wait_for(int handle, milliseconds patience) {
  pollfd look{.fd = handle, .events = POLLIN, .revents = 0};
  return poll(&look, 1, static_cast<int>(patience.count())) > 0;
}

/// Until it ends by itself; false where its time is over, or it is to stop.
bool ends_in_time(int handle, steady_clock::time_point end, const std::atomic<bool>& stop) {
  while (!stop && steady_clock::now() < end) {
    if (wait_for(handle, kLook)) return true;
  }
  return wait_for(handle, milliseconds(0));
}

}  // namespace

std::string shown_end(const BoundedEnd& end) {
  if (end.timed_out) return "was ended after its time limit";
  if (end.stopped) return "was ended with the service";
  return end.signal != 0 ? fmt::format("killed by signal {}", end.signal) : fmt::format("exit status {}", end.status);
}

Result<BoundedEnd> run_bounded(const BoundedRun& run, const std::atomic<bool>& stop) {
  Settings settings;
  settings.write_to(STDOUT_FILENO, run.output_file);
  settings.write_to(STDERR_FILENO, run.error_file);
  pid_t child = 0;
  if (const int failed = settings.spawn(run.words, child); failed != 0) {
    return fail("cannot run '{}': {}", run.words.front(), system_reason(failed));
  }
  setpriority(PRIO_PROCESS, static_cast<id_t>(child), kNice);
  const Descriptor handle = process_handle(child);
  BoundedEnd end;
  if (!ends_in_time(handle.get(), steady_clock::now() + run.time_limit, stop)) {
    (stop ? end.stopped : end.timed_out) = true;
    kill(-child, SIGTERM);
    wait_for(handle.get(), kGrace);
  }
  kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) end.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  return end;
}

std::string last_line(const std::string& file) {
  constexpr std::streamoff kLast = 4096;
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  if (!stream) return {};
  stream.seekg(std::max<std::streamoff>(0, stream.tellg() - kLast));
  std::string line;
  std::string last;
  while (std::getline(stream, line)) {
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  }
  return last;
}

std::string program_path(const std::string& name) {
  const auto can_run = [](const std::string& path) {
    std::error_code error;
    return access(path.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(path, error);
  };
  if (name.find('/') != std::string::npos) return can_run(name) ? name : std::string();
  const char* const path = getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  std::string_view rest = path == nullptr ? std::string_view() : path;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    std::string tried = fmt::format("{}/{}", folder, name);
    if (!folder.empty() && can_run(tried)) return tried;
  }
  return {};
}

}  // namespace sonde::dispatch
