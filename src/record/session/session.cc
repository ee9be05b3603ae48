#include "record/session/session.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/system/clock.h"
#include "base/system/system_reason.h"
#include "record/session/folder.h"

namespace sonde::record {
namespace {

/// Who connects and asks nothing may stay so long, and so many may be there at once.
constexpr int64_t kAnswerTimeoutNs = 5'000'000'000;
constexpr size_t kMaxGuests = 16;

/// Only this user, and root.
bool is_welcome(int connection) {
  ucred peer{};
  socklen_t bytes = sizeof peer;
  return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 &&
         (peer.uid == geteuid() || peer.uid == 0);
}

Result<Descriptor> listen_at(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return fail("cannot create the session: the path {} is too long for a socket", path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  Descriptor file(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  constexpr int kQueue = 8;
  if (!file || bind(file.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(file.get(), kQueue) != 0) {
    return fail("cannot create the session: {}: {}", path, system_reason(errno));
  }
  return file;
}

}  // namespace

Result<Session> Session::open(const std::string& name) {
  SONDE_TRY(check_session_name(name));
  const auto folder = session_folder();
  if (!folder) return std::unexpected(folder.error());
  const Descriptor lock = lock_folder(*folder);
  std::string path = socket_path(*folder, name);
  if (connect_session(path)) return fail("a session '{}' already exists; choose another name", name);
  auto listener = listen_at(path);
  if (!listener) return std::unexpected(listener.error());
  return Session(name, std::move(path), std::move(*listener));
}

Session::Session(Session&& other) noexcept
    : name_(std::move(other.name_)),
      path_(std::exchange(other.path_, {})),
      listener_(std::move(other.listener_)),
      guests_(std::move(other.guests_)) {}

Session::~Session() {
  if (!path_.empty()) unlink(path_.c_str());
}

void Session::welcome() {
  while (guests_.size() < kMaxGuests) {
    Descriptor connection(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!connection) return;
    if (is_welcome(connection.get())) guests_.push_back({std::move(connection), monotonic_ns()});
  }
}

std::optional<Session::Asked> Session::next() {
  welcome();
  const int64_t late = monotonic_ns() - kAnswerTimeoutNs;
  std::erase_if(guests_, [&](const Guest& guest) { return !guest.asked && guest.since_ns < late; });
  for (size_t i = 0; i < guests_.size(); ++i) {
    const size_t before = guests_.size();
    if (guests_[i].asked) continue;
    if (auto asked = hear(guests_[i])) return asked;
    if (guests_.size() < before) --i;
  }
  return {};
}

std::optional<Session::Asked> Session::hear(Guest& guest) {
  static thread_local std::array<char, kMaxPacket> bytes;
  const int connection = guest.connection.get();
  const ssize_t got = recv(connection, bytes.data(), bytes.size(), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return {};
  auto request = read_request({bytes.data(), static_cast<size_t>(std::max<ssize_t>(got, 0))});
  if (!request) {
    answer(connection, {.done = false, .lines = {request.error().message}});
    return {};
  }
  guest.asked = true;
  return Asked{connection, std::move(*request)};
}

void Session::answer(int connection, const Answer& answer) {
  const auto guest = std::ranges::find(guests_, connection, [](const Guest& g) { return g.connection.get(); });
  if (guest == guests_.end()) return;
  std::string packet = packet_of(answer);
  packet.resize(std::min(packet.size(), kMaxPacket));
  [[maybe_unused]] const auto sent = send(connection, packet.data(), packet.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  guests_.erase(guest);
}

}  // namespace sonde::record
