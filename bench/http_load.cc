// http_load PORT CONNECTIONS COUNT PATH BODY: sends POST requests to a service on loopback, with the key of
// SONDE_API_KEY. Each connection sends its next request after the last response. Prints: seconds, responses with 201,
// other responses, and the response time in ms at the 50th and 99th percentile.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace {

using Clock = std::chrono::steady_clock;

struct Connection {
  int socket = -1;
  std::string text = {};  ///< of the answer so far
  Clock::time_point sent = {};
};

struct Load {
  std::string request;
  int64_t left = 0;
  int64_t created = 0;
  int64_t others = 0;
  std::vector<double> milliseconds = {};
};

int connect_to(uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int yes = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 ? socket : -1;
}

/// Whether the answer is whole.
bool is_whole(std::string_view text) {
  constexpr std::string_view kLength = "Content-Length: ";
  const size_t head = text.find("\r\n\r\n");
  const size_t length = text.find(kLength);
  if (head == std::string_view::npos || length == std::string_view::npos) return false;
  return text.size() >= head + 4 + std::strtoull(text.data() + length + kLength.size(), nullptr, 10);
}

void send_next(Connection& connection, Load& load) {
  if (load.left == 0) return;
  --load.left;
  connection.text.clear();
  connection.sent = Clock::now();
  if (write(connection.socket, load.request.data(), load.request.size()) < 0) ++load.others;
}

/// False where the connection is over.
bool take(Connection& connection, Load& load) {
  std::array<char, 16384> part = {};
  const ssize_t size = read(connection.socket, part.data(), part.size());
  if (size <= 0) return false;
  connection.text.append(part.data(), static_cast<size_t>(size));
  if (!is_whole(connection.text)) return true;
  const bool created = connection.text.starts_with("HTTP/1.1 201");
  if (!created && load.others == 0) fmt::print(stderr, "{}\n", connection.text);
  (created ? load.created : load.others) += 1;
  load.milliseconds.push_back(std::chrono::duration<double, std::milli>(Clock::now() - connection.sent).count());
  send_next(connection, load);
  return true;
}

void run(std::vector<Connection>& connections, Load& load) {
  const int poll = epoll_create1(0);
  for (size_t i = 0; i < connections.size(); ++i) {
    epoll_event event = {.events = EPOLLIN, .data = {.u64 = i}};
    epoll_ctl(poll, EPOLL_CTL_ADD, connections[i].socket, &event);
    send_next(connections[i], load);
  }
  const auto wanted = static_cast<size_t>(load.left) + connections.size();
  std::array<epoll_event, 64> events = {};
  while (load.milliseconds.size() < wanted) {
    const int count = epoll_wait(poll, events.data(), static_cast<int>(events.size()), 30'000);
    if (count <= 0) return;
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      if (!take(connections[events.at(i).data.u64], load)) return;
    }
  }
  close(poll);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const auto port = static_cast<uint16_t>(std::atoi(argv[1]));
  const char* const key = std::getenv("SONDE_API_KEY");
  const std::string_view body = argv[5];
  Load load = {.request = fmt::format("POST {} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {}\r\n"
                                      "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
                                      argv[4], key == nullptr ? "" : key, body.size(), body),
               .left = std::atoll(argv[3])};
  std::vector<Connection> connections(static_cast<size_t>(std::atoi(argv[2])));
  for (Connection& connection : connections) {
    connection.socket = connect_to(port);
    if (connection.socket < 0) return 1;
  }
  const auto began = Clock::now();
  run(connections, load);
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  std::ranges::sort(load.milliseconds);
  const size_t count = load.milliseconds.size();
  if (count == 0) return 1;
  fmt::print("{} {} {} {} {}\n", seconds, load.created, load.others, load.milliseconds[count / 2],
             load.milliseconds[count * 99 / 100]);
  return 0;
}
