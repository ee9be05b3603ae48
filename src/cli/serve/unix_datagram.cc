#include "cli/serve/unix_datagram.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/files/descriptor.h"

namespace sonde::serve {
namespace {

/// Repeats what a signal interrupts.
bool send_message(int from, const msghdr& message) {
  ssize_t sent = -1;
  do {
    sent = sendmsg(from, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent >= 0;
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

/// The journal accepts a file that can no longer change only.
bool send_as_file(int from, msghdr message, std::string_view bytes) {
  const Descriptor file(memfd_create("sonde-message", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
  if (!file || !write_all(file.get(), bytes) || fcntl(file.get(), F_ADD_SEALS, kSeals) != 0) return false;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control = {};
  message.msg_iov = nullptr;
  message.msg_iovlen = 0;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_len = CMSG_LEN(sizeof(int));
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  const int number = file.get();
  std::memcpy(CMSG_DATA(header), &number, sizeof number);
  return send_message(from, message);
}

}  // namespace

bool send_datagram(const std::string& socket, std::string bytes) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const Descriptor from(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!from || socket.size() >= sizeof address.sun_path) return false;
  std::ranges::copy(socket, address.sun_path);
  if (socket.starts_with('@')) address.sun_path[0] = '\0';
  const size_t end_of_path = socket.starts_with('@') ? 0 : 1;
  iovec part = {.iov_base = bytes.data(), .iov_len = bytes.size()};
  msghdr message = {};
  message.msg_name = &address;
  message.msg_namelen = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket.size() + end_of_path);
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (send_message(from.get(), message)) return true;
  return (errno == EMSGSIZE || errno == ENOBUFS) && send_as_file(from.get(), message, bytes);
}

}  // namespace sonde::serve
