#include "dispatch/executor/keeper_starter.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string>
#include <utility>

#include "base/system/process_handle.h"
#include "dispatch/keeper/starter.h"

namespace sonde::dispatch {
namespace {

/// It forks in less than a millisecond: after this it hangs, or somebody stopped it.
constexpr timeval kTimeout{.tv_sec = 10, .tv_usec = 0};

Descriptor text_file(const std::string& text) {
  Descriptor made(memfd_create("sonde-launch", MFD_CLOEXEC));
  if (!made || pwrite(made.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    return Descriptor();
  return made;
}

}  // namespace

KeeperStarter::KeeperStarter(KeeperProgram program, int live_folder, int bell)
    : program_(std::move(program)), live_folder_(live_folder), bell_(bell) {}

int KeeperStarter::begin() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return errno;
  Descriptor own(ends[0]);
  const Descriptor other(ends[1]);
  setsockopt(own.get(), SOL_SOCKET, SO_RCVTIMEO, &kTimeout, sizeof kTimeout);
  if (const int failed = program_.start({.door = other.get(), .live_folder = live_folder_, .bell = bell_}, pid_))
    return failed;
  door_ = std::move(own);
  return 0;
}

/// How it ended, as waitpid() has it. What it was asked and had not taken is gone with the door.
int KeeperStarter::end() {
  if (!door_) return 0;
  door_.reset();
  kill(pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

int KeeperStarter::start(const keeper::KeeperLaunch& launch, int live, Started& started) {
  const Descriptor text = text_file(keeper::launch_text(launch));
  if (!text) return errno;
  const keeper::StartRequest request{.task = launch.task, .attempt = launch.attempt};
  const auto ask = [&] {
    if (const int failed = door_ ? 0 : begin()) return failed;
    return ask_for_keeper(door_.get(), request, {.launch = text.get(), .attempt_file = live});
  };
  int failed = ask();
  if (failed == EPIPE || failed == ECONNRESET) {  // it was killed since the last one
    end();
    failed = ask();
  }
  if (failed != 0) return failed;
  const auto answer = keeper::receive_answer(door_.get());
  if (!answer) {
    started.lost_status = end();
    return 0;
  }
  if (answer->keeper == 0) return answer->error;
  started.pid = answer->keeper;
  started.handle = process_handle(started.pid);
  return 0;
}

}  // namespace sonde::dispatch
