#include "dispatch/keeper/task_process.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <string_view>
#include <vector>

#include "base/system/spawn_settings.h"
#include "base/system/system_reason.h"

namespace sonde::dispatch::keeper {
namespace {

constexpr std::string_view kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

std::string_view path_of(const KeeperLaunch& launch) {
  constexpr std::string_view kName = "PATH=";
  for (const std::string& variable : launch.environment) {
    if (variable.starts_with(kName)) return std::string_view(variable).substr(kName.size());
  }
  return kDefaultPath;
}

/// A relative entry, or a program with a slash, counts from the task's folder.
std::vector<std::string> candidates(const KeeperLaunch& launch) {
  const std::string& program = launch.command.front();
  if (program.find('/') != std::string::npos) return {program};
  std::vector<std::string> found;
  std::string_view path = path_of(launch);
  for (bool more = true; more;) {
    const size_t end = path.find(':');
    const std::string_view folder = path.substr(0, end);
    found.push_back(folder.empty() ? "./" + program : std::string(folder) + "/" + program);
    more = end != std::string_view::npos;
    if (more) path.remove_prefix(end + 1);
  }
  return found;
}

/// As a shell does: the first that runs; of the errors, one that says more than that there is no such file.
int spawn_first(const SpawnSettings& settings, KeeperLaunch& launch, pid_t& child) {
  int worst = ENOENT;
  for (const std::string& program : candidates(launch)) {
    // A process for each place of PATH would take longer than all the rest.
    const bool is_missing = program.starts_with('/') && access(program.c_str(), F_OK) != 0;
    const int error = is_missing ? ENOENT
                                 : settings.spawn(program.c_str(), pointers_to(launch.command).data(),
                                                  pointers_to(launch.environment).data(), child);
    if (error != ENOENT && error != ENOTDIR && error != EACCES) return error;
    if (error == EACCES) worst = error;
  }
  return worst;
}

/// Processes and memory run out for moments; a task does not fail for that.
int spawn_patiently(const SpawnSettings& settings, KeeperLaunch& launch, pid_t& child) {
  constexpr int kTries = 50;
  constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 100'000'000};
  int error = spawn_first(settings, launch, child);
  for (int i = 0; i < kTries && (error == EAGAIN || error == ENOMEM || error == ETXTBSY); ++i) {
    nanosleep(&kPause, nullptr);
    error = spawn_first(settings, launch, child);
  }
  return error;
}

/// A service that is spared when the host's memory runs out hands that on to its children; a task is not to be spared.
class OrdinaryOomScore {
 public:
  OrdinaryOomScore() : file_(open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC)) {
    std::array<char, 16> text{};
    const ssize_t count = file_ ? pread(file_.get(), text.data(), text.size(), 0) : 0;
    if (count > 0 && text[0] == '-') before_.assign(text.data(), static_cast<size_t>(count));
    if (!before_.empty()) set("0");
  }
  OrdinaryOomScore(const OrdinaryOomScore&) = delete;
  OrdinaryOomScore& operator=(const OrdinaryOomScore&) = delete;
  ~OrdinaryOomScore() {
    if (!before_.empty()) set(before_);
  }

 private:
  void set(const std::string& score) const {
    [[maybe_unused]] const auto written = pwrite(file_.get(), score.data(), score.size(), 0);
  }
  Descriptor file_;
  std::string before_;
};

std::string folder_trouble(const std::string& folder) {
  struct stat found{};
  if (stat(folder.c_str(), &found) != 0) return system_reason(errno);
  if (!S_ISDIR(found.st_mode)) return system_reason(ENOTDIR);
  return access(folder.c_str(), X_OK) == 0 ? std::string() : system_reason(errno);
}

std::string trouble_of(const KeeperLaunch& launch, int error) {
  const std::string& program = launch.command.front();
  const std::string text = "cannot start '" + program + "': ";
  if (error == ENOENT && program.find('/') == std::string::npos) {
    return text + "not found in PATH (" + std::string(path_of(launch)) + ")";
  }
  if (error == ENOEXEC) return text + "neither an executable for this machine nor a script that starts with #!";
  return text + system_reason(error);
}

}  // namespace

TaskProcess start_task(const KeeperLaunch& launch) {
  TaskProcess task;
  if (const std::string why = folder_trouble(launch.folder); !why.empty()) {
    task.trouble = "cannot change to the folder '" + launch.folder + "': " + why;
    return task;
  }
  std::array<std::array<int, 2>, 2> pipes{};
  for (size_t i = 0; i < pipes.size(); ++i) {
    if (pipe2(pipes[i].data(), O_CLOEXEC) != 0) {
      task.trouble = "cannot create a pipe for its output: " + system_reason(errno);
      return task;
    }
    task.streams[i].reset(pipes[i][0]);
    fcntl(pipes[i][0], F_SETFL, O_NONBLOCK);
  }
  const Descriptor output(pipes[0][1]);
  const Descriptor error(pipes[1][1]);
  KeeperLaunch words = launch;
  SpawnSettings settings(SpawnSettings::Leads::session);
  settings.reset_signals(SpawnSettings::Signals::taken);
  settings.open_as(STDIN_FILENO, "/dev/null", O_RDONLY);
  settings.hand_over(output.get(), STDOUT_FILENO);
  settings.hand_over(error.get(), STDERR_FILENO);
  settings.run_in(launch.folder);
  const OrdinaryOomScore ordinary;
  const int failed = spawn_patiently(settings, words, task.pid);
  if (failed != 0) task.trouble = trouble_of(launch, failed);
  return task;
}

}  // namespace sonde::dispatch::keeper
