#include "record/session/client.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>

#include <fmt/ranges.h>

#include "base/system/system_reason.h"
#include "base/text/suggest.h"
#include "record/session/folder.h"

namespace sonde::record {
namespace {

Result<Answer> exchange(int connection, const std::string& packet) {
  if (send(connection, packet.data(), packet.size(), MSG_NOSIGNAL) < 0) {
    return fail("cannot connect to the session: {}", system_reason(errno));
  }
  std::vector<char> bytes(kMaxPacket);
  ssize_t got = 0;
  do {
    got = recv(connection, bytes.data(), bytes.size(), 0);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return fail("the session ended before it responded");
  return read_answer({bytes.data(), static_cast<size_t>(got)});
}

}  // namespace

Result<std::vector<std::string>> living_sessions() {
  const auto folder = session_folder();
  if (!folder) return std::unexpected(folder.error());
  const Descriptor lock = lock_folder(*folder);
  std::vector<std::string> living;
  for (std::string& name : session_names(*folder)) {
    if (connect_session(socket_path(*folder, name))) living.push_back(std::move(name));
  }
  return living;
}

Result<std::string> choose_session(const std::optional<std::string>& name) {
  const auto living = living_sessions();
  if (!living) return std::unexpected(living.error());
  if (name) {
    if (std::ranges::find(*living, *name) != living->end()) return *name;
    const std::vector<std::string_view> known(living->begin(), living->end());
    return fail("there is no session '{}'{}; 'sonde sessions list' lists the sessions", *name,
                did_you_mean(*name, known));
  }
  if (living->empty()) return fail("there is no session; 'sonde launch -- PROGRAM' creates one");
  if (living->size() == 1) return living->front();
  return fail("there are several sessions ({}); select one with --session", fmt::join(*living, ", "));
}

Result<Answer> ask_session(const std::string& name, const Request& request) {
  const auto folder = session_folder();
  if (!folder) return std::unexpected(folder.error());
  const Descriptor connection = connect_session(socket_path(*folder, name));
  if (!connection) return fail("the session '{}' has ended", name);
  return exchange(connection.get(), packet_of(request));
}

}  // namespace sonde::record
