#include "shared/tcp_server.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace sonde {
namespace {

/// Of a request whose head is complete.
size_t body_size(const std::string& request) {
  constexpr std::string_view kField = "Content-Length: ";
  const size_t at = request.find(kField);
  return at == std::string::npos ? 0 : std::stoul(request.substr(at + kField.size()));
}

bool is_complete(const std::string& request) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  const size_t end = request.find(kEnd);
  return end != std::string::npos && request.size() >= end + kEnd.size() + body_size(request);
}

}  // namespace

TcpServer::TcpServer(Answers answers) : answers_(std::move(answers)), listener_(socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  constexpr int kBacklog = 64;
  if (bind(listener_, generic, size) != 0 || listen(listener_, kBacklog) != 0)
    throw std::runtime_error("cannot listen");
  getsockname(listener_, generic, &size);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

TcpServer::~TcpServer() {
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  {
    const std::scoped_lock lock(mutex_);
    for (const int connection : open_) shutdown(connection, SHUT_RDWR);
  }
  for (std::thread& thread : threads_) thread.join();
  for (const int connection : open_) close(connection);
  close(listener_);
}

std::string TcpServer::url(const std::string& path) const { return fmt::format("http://127.0.0.1:{}{}", port_, path); }

std::vector<std::string> TcpServer::requests() const {
  const std::scoped_lock lock(mutex_);
  return requests_;
}

void TcpServer::accept_all() {
  while (true) {
    const int connection = accept(listener_, nullptr, nullptr);
    if (connection < 0) return;
    ++connections_;
    const std::scoped_lock lock(mutex_);
    open_.push_back(connection);
    threads_.emplace_back([this, connection] { serve(connection); });
  }
}

void TcpServer::serve(int connection) {
  std::string request;
  std::array<char, 65536> part{};
  while (true) {
    const ssize_t got = recv(connection, part.data(), part.size(), 0);
    if (got <= 0) break;
    request.append(part.data(), static_cast<size_t>(got));
    if (!is_complete(request)) continue;
    const Answer answer = answers_(request);
    {
      const std::scoped_lock lock(mutex_);
      requests_.push_back(std::exchange(request, {}));
    }
    static_cast<void>(send(connection, answer.text.data(), answer.text.size(), MSG_NOSIGNAL));
    if (answer.closes) break;
    if (!answer.reads_on) return;
  }
  const std::scoped_lock lock(mutex_);
  open_.remove(connection);
  close(connection);
}

TcpServer::Answer ok(const std::string& body) {
  return {fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", body.size(), body)};
}

}  // namespace sonde
