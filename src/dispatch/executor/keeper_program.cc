#include "dispatch/executor/keeper_program.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "base/system/spawn_settings.h"
#include "dispatch/keeper/attempt_record.h"
#include "dispatch/keeper/keeper.h"
#include "dispatch/keeper/starter.h"

namespace sonde::dispatch {
namespace {

constexpr int kFirstFree = 10;       ///< above the numbers that the keeper's files get
constexpr size_t kLongestName = 39;  ///< TASK.ATTEMPT

std::vector<std::filesystem::path> places() {
  if (const char* const told = getenv("SONDE_KEEPER")) return {told};  // NOLINT(concurrency-mt-unsafe): nobody sets it
  std::error_code error;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  // The last one is a build tree's, whose tests are in a folder below.
  return {folder / "sonde-keeper", folder / "../lib/sonde/sonde-keeper", folder / "../sonde-keeper"};
}

}  // namespace

Result<KeeperProgram> KeeperProgram::find() {
  const auto tried = places();
  for (const auto& place : tried) {
    const Descriptor program(open(place.c_str(), O_PATH | O_CLOEXEC));
    if (!program || access(place.c_str(), X_OK) != 0) continue;
    return KeeperProgram(Descriptor(fcntl(program.get(), F_DUPFD_CLOEXEC, kFirstFree)));
  }
  return fail(
      "cannot run tasks: '{}' does not exist or is not executable; install sonde-keeper next to sonde, or set "
      "SONDE_KEEPER to its path",
      tried.front().string());
}

int KeeperProgram::start(const Files& files, pid_t& pid) const {
  SpawnSettings settings(SpawnSettings::Leads::session);
  settings.reset_signals(SpawnSettings::Signals::blocked);  // what comes before it can read signals waits for that
  settings.open_as(STDIN_FILENO, "/dev/null", O_RDWR);
  settings.hand_over(STDIN_FILENO, STDOUT_FILENO);
  settings.hand_over(STDIN_FILENO, STDERR_FILENO);
  std::vector<Descriptor> moved;  // out of the way of the numbers that they get
  for (const auto& [file, as] :
       {std::pair{files.door, keeper::kDoor}, {files.live_folder, keeper::kLiveFolder}, {files.bell, keeper::kBell}}) {
    moved.emplace_back(fcntl(file, F_DUPFD_CLOEXEC, kFirstFree));
    if (!moved.back()) return errno;
    settings.hand_over(moved.back().get(), as);
  }
  std::vector<std::string> words{"sonde-keeper", std::string(kLongestName, ' ')};
  std::vector<std::string> no_environment;
  const std::string path = fmt::format("/proc/self/fd/{}", program_.get());
  return settings.spawn(path.c_str(), pointers_to(words).data(), pointers_to(no_environment).data(), pid);
}

void tell_to_end(int handle) {
  siginfo_t info{};
  info.si_signo = SIGTERM;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_int = keeper::kCancelMark;
  syscall(SYS_pidfd_send_signal, handle, SIGTERM, &info, 0);
}

}  // namespace sonde::dispatch
