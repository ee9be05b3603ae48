#include "dispatch/keeper/starter.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/system/boot_id.h"
#include "dispatch/keeper/attempt_record.h"
#include "dispatch/keeper/keeper.h"

namespace sonde::dispatch::keeper {
namespace {

using Numbers = std::array<int, 2>;

/// A message and room for two descriptors beside it.
template <typename Message>
class Packet {
 public:
  explicit Packet(Message& message) : part_{.iov_base = &message, .iov_len = sizeof message} {
    header_.msg_iov = &part_;
    header_.msg_iovlen = 1;
    header_.msg_control = room_.data();
    header_.msg_controllen = room_.size();
  }
  Packet(const Packet&) = delete;
  Packet& operator=(const Packet&) = delete;
  ~Packet() = default;

  void put(const Numbers& numbers) {
    cmsghdr* const control = CMSG_FIRSTHDR(&header_);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof numbers);
    memcpy(CMSG_DATA(control), &numbers, sizeof numbers);
  }
  /// -1 where none came.
  [[nodiscard]] Numbers take() {
    Numbers numbers{-1, -1};
    const cmsghdr* const control = CMSG_FIRSTHDR(&header_);
    if (control == nullptr || control->cmsg_type != SCM_RIGHTS || control->cmsg_len != CMSG_LEN(sizeof numbers))
      return numbers;
    memcpy(&numbers, CMSG_DATA(control), sizeof numbers);
    return numbers;
  }
  [[nodiscard]] msghdr* header() { return &header_; }

 private:
  iovec part_;
  msghdr header_{};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(Numbers))> room_{};
};

/// Closes all descriptors that are not below `first`. The call itself: glibc has close_range() since 2.34 only.
void close_from(int first) {
  if (syscall(__NR_close_range, first, ~0U, 0) == 0) return;
  // Linux before 5.9.
  DIR* const folder = opendir("/proc/self/fd");
  if (folder == nullptr) return;
  std::vector<int> later;
  while (const dirent* const entry = readdir(folder)) {  // NOLINT(concurrency-mt-unsafe): no other thread has it
    if (const int file = atoi(entry->d_name); file >= first) later.push_back(file);
  }
  closedir(folder);
  for (const int file : later) close(file);
}

/// In the child: what a program of its own would find.
[[noreturn]] void become_keeper(const StartRequest& request, const Descriptor& launch, const Descriptor& attempt_file,
                                char* shown) {
  dup3(launch.get(), kLaunchFile, O_CLOEXEC);  // kDoor's number: only the starter has that
  dup3(attempt_file.get(), kAttemptFile, O_CLOEXEC);
  close_from(kBell + 1);
  strncpy(shown, attempt_name(request.task, request.attempt).c_str(), strlen(shown));
  _exit(run());
}

/// The child is the caller's parent's: the service waits for it, and it stays where this process ends. 0 in the child,
/// below 0: errno.
pid_t fork_for_parent() { return static_cast<pid_t>(syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0)); }

/// False where the service is gone.
bool serve_one(char* shown) {
  StartRequest request;
  Packet packet(request);
  const ssize_t count = recvmsg(kDoor, packet.header(), MSG_CMSG_CLOEXEC);
  if (count < 0 && errno == EINTR) return true;
  if (count != sizeof request) return false;
  const auto [first, second] = packet.take();
  const Descriptor launch(first);
  const Descriptor attempt_file(second);
  const pid_t keeper = fork_for_parent();
  if (keeper == 0) become_keeper(request, launch, attempt_file, shown);
  const StartAnswer answer{.keeper = std::max(keeper, 0), .error = keeper < 0 ? errno : 0};
  return send(kDoor, &answer, sizeof answer, MSG_NOSIGNAL) == sizeof answer;
}

}  // namespace

int ask_for_keeper(int door, const StartRequest& request, const AttemptDescriptors& files) {
  StartRequest message = request;
  Packet packet(message);
  packet.put({files.launch, files.attempt_file});
  while (sendmsg(door, packet.header(), MSG_NOSIGNAL) < 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

std::optional<StartAnswer> receive_answer(int door) {
  StartAnswer answer;
  ssize_t count = -1;
  do {
    count = recv(door, &answer, sizeof answer, 0);
  } while (count < 0 && errno == EINTR);
  return count == sizeof answer ? std::optional(answer) : std::nullopt;
}

int run_starter(char* shown) {
  for (const int file : {kDoor, kLiveFolder, kBell}) fcntl(file, F_SETFD, FD_CLOEXEC);
  close(kAttemptFile);
  close_from(kBell + 1);  // what the service left open by mistake would outlive it in the keepers
  prctl(PR_SET_NAME, "sonde-keeper");
  [[maybe_unused]] const std::string& boot = boot_id();  // read before there are keepers, which each would read it
  while (serve_one(shown)) continue;
  return 0;
}

}  // namespace sonde::dispatch::keeper
