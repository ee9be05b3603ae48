#include "inject/door.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "inject/attachment.h"
#include "inject/own_thread.h"
#include "wire/door.h"

/// The calls themselves, not the C library's functions: those may be this library's own, which records them.
namespace sonde::inject {
namespace {

constinit std::atomic<int> owner{0};  ///< the process that the door is of
constinit int listening = -1;
constinit ino_t listening_inode = 0;

/// The name's length within the address. The name is decimal digits behind kDoorName.
socklen_t fill_address(sockaddr_un& address, uint32_t process) noexcept {
  address.sun_family = AF_UNIX;
  char* at = address.sun_path + 1;
  for (const char* c = wire::kDoorName; *c != '\0'; ++c) *at++ = *c;
  char digits[12];
  int count = 0;
  do {
    digits[count++] = static_cast<char>('0' + process % 10);
    process /= 10;
  } while (process != 0);
  while (count > 0) *at++ = digits[--count];
  return static_cast<socklen_t>(at - reinterpret_cast<char*>(&address));
}

ino_t inode_of(int file) noexcept {
  struct stat of_file{};
  return fstat(file, &of_file) == 0 ? of_file.st_ino : 0;
}

void close_file(int file) noexcept { syscall(SYS_close, file); }

/// A listening socket of this process's name; below 0 where there can be none.
int listen_here() noexcept {
  sockaddr_un address{};
  const socklen_t bytes = fill_address(address, static_cast<uint32_t>(syscall(SYS_getpid)));
  const auto file = static_cast<int>(syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (file < 0) return file;
  if (syscall(SYS_bind, file, &address, bytes) == 0 && syscall(SYS_listen, file, 1) == 0) return file;
  close_file(file);
  return -1;
}

/// The recorder reads what the process does: it must be of its user, or root.
bool may_enter(int connection) noexcept {
  ucred peer{};
  socklen_t bytes = sizeof peer;
  if (syscall(SYS_getsockopt, connection, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0) return false;
  return peer.uid == 0 || peer.uid == static_cast<uid_t>(syscall(SYS_geteuid));
}

/// The descriptor that came with the message; below 0 without one.
int receive(int connection, wire::Approach& approach) noexcept {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  iovec part{&approach, sizeof approach};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  long got = 0;
  do {
    got = syscall(SYS_recvmsg, connection, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  int file = -1;
  const cmsghdr* const head = CMSG_FIRSTHDR(&message);
  if (head != nullptr && head->cmsg_type == SCM_RIGHTS) memcpy(&file, CMSG_DATA(head), sizeof file);
  if (got == sizeof approach && approach.magic == wire::kMagic) return file;
  if (file >= 0) close_file(file);
  return -1;
}

wire::Admitted admit(int connection) noexcept {
  if (!may_enter(connection)) return wire::Admitted::other_user;
  wire::Approach approach{};
  const int file = receive(connection, approach);
  if (file < 0) return wire::Admitted::no_memory;
  auto admitted = wire::Admitted::no_memory;
  if (approach.version != wire::kVersion) {
    admitted = wire::Admitted::other_version;
  } else if (attachment.header != nullptr) {
    admitted = wire::Admitted::before;
  } else if (adopt(file, approach.nonce)) {
    admitted = wire::Admitted::yes;
  }
  close_file(file);
  return admitted;
}

void serve(int connection) noexcept {
  const wire::Admission answer{admit(connection), wire::kVersion};
  if (answer.admitted == wire::Admitted::yes) on_recorder();
  syscall(SYS_sendto, connection, &answer, sizeof answer, MSG_NOSIGNAL, nullptr, 0);
}

/// Until the program closes the socket, as daemons close all that they do not know: its number may be another file's
/// then.
void* wait_at_door(void*) noexcept {
  while (inode_of(listening) == listening_inode) {
    const auto connection = static_cast<int>(syscall(SYS_accept4, listening, nullptr, nullptr, SOCK_CLOEXEC));
    if (connection < 0 && errno != EINTR && errno != ECONNABORTED) break;
    if (connection < 0) continue;
    serve(connection);
    close_file(connection);
  }
  owner.store(0);
  return nullptr;
}

}  // namespace

void open_door() noexcept {
  const auto process = static_cast<int>(syscall(SYS_getpid));
  if (attachment.header != nullptr || owner.exchange(process) == process) return;
  listening = make_ready() ? listen_here() : -1;
  listening_inode = listening < 0 ? 0 : inode_of(listening);
  if (listening >= 0 && start_own_thread(wait_at_door)) return;
  if (listening >= 0) close_file(listening);
  owner.store(0);
}

bool is_door_open() noexcept { return owner.load() == static_cast<int>(syscall(SYS_getpid)); }

}  // namespace sonde::inject
