#include "record/attach.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include "base/files/descriptor.h"
#include "base/system/system_reason.h"
#include "wire/door.h"

namespace sonde::record {
namespace {

/// The process may be busy or stopped; loading CUPTI takes it tenths of a second.
constexpr int kPatienceS = 20;

/// Empty where it may not be read.
std::string text_of(pid_t process, std::string_view name) {
  std::ifstream file(fmt::format("/proc/{}/{}", process, name));
  return {std::istreambuf_iterator<char>(file), {}};
}

bool has_variable(pid_t process, std::string_view name) {
  const std::string environment = '\0' + text_of(process, "environ");
  return environment.contains('\0' + fmt::format("{}=", name));
}

std::string named(pid_t process) { return fmt::format("process {} ({})", process, process_name(process)); }

Status cannot_attach(pid_t process, std::string_view why) {
  return fail("cannot attach to {}: {}", named(process), why);
}

/// Nobody listens. The environment is the one that the process was started with.
Status no_door(pid_t process, const std::string& library) {
  if (has_variable(process, wire::kMappingVariable)) {
    return cannot_attach(process, "a recorder has run it from its start; sonde sessions lists those that still do");
  }
  if (has_variable(process, "CUDA_INJECTION64_PATH") || has_variable(process, "NVTX_INJECTION64_PATH")) {
    return cannot_attach(process,
                         "it does not wait for a recorder; it has not used CUDA or NVTX yet, another tool's library is "
                         "injected into it, or it runs in another network namespace (a container)");
  }
  return cannot_attach(process, fmt::format("it was started without Sonde's library. Start it with\n"
                                            "  CUDA_INJECTION64_PATH={0} NVTX_INJECTION64_PATH={0}\n"
                                            "in its environment, and it can be recorded at any time",
                                            library));
}

struct Address {
  sockaddr_un name;
  socklen_t bytes;
};

Address door_of(pid_t process) {
  const std::string name = fmt::format("{}{}", wire::kDoorName, process);
  Address address{};
  address.name.sun_family = AF_UNIX;
  std::ranges::copy(name, address.name.sun_path + 1);
  address.bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

bool send_mapping(int connection, const Mapping& mapping) {
  wire::Approach approach{
      .magic = wire::kMagic, .nonce = mapping.header().nonce, .version = wire::kVersion, .reserved = 0};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  iovec part{&approach, sizeof approach};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  const int file = mapping.file();
  std::memcpy(CMSG_DATA(head), &file, sizeof file);
  return sendmsg(connection, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof approach);
}

Status result_of(pid_t process, const wire::Admission& answer) {
  switch (answer.admitted) {
    case wire::Admitted::yes: return {};
    case wire::Admitted::other_version:
      return cannot_attach(process, fmt::format("its libsonde_inject.so is of another version of Sonde (interface {}; "
                                                "this one has {})",
                                                answer.version, wire::kVersion));
    case wire::Admitted::before:
      return cannot_attach(process,
                           "it was recorded already, which a process can be once; sonde launch --pid attaches to a "
                           "process for several recordings (sonde start, sonde stop)");
    case wire::Admitted::no_memory: return cannot_attach(process, "it could not map the recorder's shared memory");
    case wire::Admitted::other_user: return cannot_attach(process, "it is another user's");
  }
  return cannot_attach(process, "its answer is not valid");
}

}  // namespace

std::string process_name(pid_t process) {
  std::string name = text_of(process, "comm");
  while (name.ends_with('\n')) name.pop_back();
  return name;
}

Status attach_to(pid_t process, const Mapping& mapping, const std::string& library) {
  const Address door = door_of(process);
  const Descriptor connection(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  const timeval patience{.tv_sec = kPatienceS, .tv_usec = 0};
  setsockopt(connection.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(connection.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (connect(connection.get(), reinterpret_cast<const sockaddr*>(&door.name), door.bytes) != 0) {
    return errno == ECONNREFUSED ? no_door(process, library) : cannot_attach(process, system_reason(errno));
  }
  wire::Admission answer{};
  if (!send_mapping(connection.get(), mapping) ||
      recv(connection.get(), &answer, sizeof answer, 0) != static_cast<ssize_t>(sizeof answer)) {
    return cannot_attach(process, fmt::format("it did not answer within {} s", kPatienceS));
  }
  return result_of(process, answer);
}

}  // namespace sonde::record
