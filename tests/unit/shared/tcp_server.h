#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace sonde {

/// A server on a port of loopback for tests of HTTP clients: reads requests with Content-Length, and sends what
/// `answer` returns for each. A thread per connection.
class TcpServer {
 public:
  struct Answer {
    std::string text;
    bool closes = false;   ///< the connection, after the text
    bool reads_on = true;  ///< false: the connection stays open, and nothing more is read from it
  };
  using Answers = std::function<Answer(const std::string& request)>;

  explicit TcpServer(Answers answers);
  ~TcpServer();
  TcpServer(const TcpServer&) = delete;
  TcpServer& operator=(const TcpServer&) = delete;

  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] std::string url(const std::string& path = "/") const;
  [[nodiscard]] int connections() const { return connections_; }
  [[nodiscard]] std::vector<std::string> requests() const;

 private:
  void accept_all();
  void serve(int connection);

  Answers answers_;
  int listener_;
  int port_ = 0;
  std::atomic<int> connections_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::list<int> open_;
  std::list<std::thread> threads_;
  std::thread acceptor_;
};

/// 200 with a body and its length.
[[nodiscard]] TcpServer::Answer ok(const std::string& body);

}  // namespace sonde
