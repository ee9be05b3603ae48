#include "dispatch/profiles/bounded_run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "base/system/process_handle.h"
#include "base/system/spawn_settings.h"
#include "base/system/system_reason.h"

namespace sonde::dispatch {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int kNice = 10;
constexpr milliseconds kLook{100};
constexpr milliseconds kGrace{5000};
constexpr mode_t kOwnerOnly = 0600;

/// True once it ended.
bool wait_for(int handle, milliseconds timeout) {
  pollfd look{.fd = handle, .events = POLLIN, .revents = 0};
  return poll(&look, 1, static_cast<int>(timeout.count())) > 0;
}

/// Until it ends by itself; false where its time is over, or it is to stop.
bool ends_in_time(int handle, steady_clock::time_point end, const std::atomic<bool>& stop) {
  while (!stop && steady_clock::now() < end) {
    if (wait_for(handle, kLook)) return true;
  }
  return wait_for(handle, milliseconds(0));
}

/// 0 or the error's number.
int spawn(const BoundedRun& run, pid_t& child) {
  constexpr int kHow = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW;
  SpawnSettings settings(SpawnSettings::Leads::group);
  settings.reset_signals(SpawnSettings::Signals::taken);
  settings.open_as(STDIN_FILENO, "/dev/null", O_RDONLY);
  settings.open_as(STDOUT_FILENO, run.output_file.c_str(), kHow, kOwnerOnly);
  settings.open_as(STDERR_FILENO, run.error_file.c_str(), kHow, kOwnerOnly);
  std::vector<std::string> words = run.words;
  return settings.spawn_by_name(words.front().c_str(), pointers_to(words).data(), environ, child);
}

}  // namespace

std::string shown_end(const BoundedEnd& end) {
  if (end.timed_out) return "was terminated at its time limit";
  if (end.stopped) return "was terminated when the service stopped";
  return end.signal != 0 ? fmt::format("killed by signal {}", end.signal) : fmt::format("exit status {}", end.status);
}

Result<BoundedEnd> run_bounded(const BoundedRun& run, const std::atomic<bool>& stop) {
  pid_t child = 0;
  if (const int failed = spawn(run, child); failed != 0) {
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
