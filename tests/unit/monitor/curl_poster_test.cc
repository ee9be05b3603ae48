#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "monitor/alerts.h"

namespace sonde::monitor {
namespace curl_poster_test {

/// Answers every request on a port of loopback with the same text; none where that is empty.
class OneAnswerServer {
 public:
  explicit OneAnswerServer(std::string answer)
      : answer_(std::move(answer)), listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (bind(listener_, generic, size) != 0 || listen(listener_, 8) != 0) throw std::runtime_error("cannot listen");
    getsockname(listener_, generic, &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~OneAnswerServer() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  OneAnswerServer(const OneAnswerServer&) = delete;
  OneAnswerServer& operator=(const OneAnswerServer&) = delete;

  [[nodiscard]] std::string url() const { return fmt::format("http://127.0.0.1:{}/alerts", port_); }
  [[nodiscard]] int requests() const { return requests_; }
  [[nodiscard]] const std::string& last() const { return last_; }

 private:
  void serve() {
    std::vector<int> held;
    while (true) {
      const int connection = accept(listener_, nullptr, nullptr);
      if (connection < 0) break;
      std::string text;
      std::array<char, 4096> part{};
      while (!text.ends_with("END")) {
        const ssize_t got = recv(connection, part.data(), part.size(), 0);
        if (got <= 0) break;
        text.append(part.data(), static_cast<size_t>(got));
      }
      last_ = text;
      ++requests_;
      if (answer_.empty()) {
        held.push_back(connection);
        continue;
      }
      static_cast<void>(send(connection, answer_.data(), answer_.size(), MSG_NOSIGNAL));
      close(connection);
    }
    for (const int connection : held) close(connection);
  }

  std::string answer_;
  int listener_;
  int port_ = 0;
  std::atomic<int> requests_ = 0;
  std::string last_;
  std::thread thread_;
};

constexpr auto kPatience = std::chrono::seconds(30);

Result<int> post(const std::string& url, std::chrono::milliseconds timeout = kPatience) {
  return curl_poster()->post(url, "application/json", "{}END", timeout);
}

TEST(CurlPoster, GivesTheStatus) {
  const OneAnswerServer fine("HTTP/1.1 202 Accepted\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_EQ(post(fine.url()).value(), 202);
  EXPECT_TRUE(fine.last().starts_with("POST /alerts HTTP/1.1\r\n")) << fine.last();
  EXPECT_TRUE(fine.last().contains("Content-Type: application/json\r\n"));
  EXPECT_TRUE(fine.last().ends_with("\r\n\r\n{}END"));
  const OneAnswerServer busy("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(post(busy.url()).value(), 503);
}

TEST(CurlPoster, DoesNotFollowRedirects) {
  const OneAnswerServer other("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  const OneAnswerServer moved(
      fmt::format("HTTP/1.1 307 Moved\r\nLocation: {}\r\nContent-Length: 0\r\n\r\n", other.url()));
  EXPECT_EQ(post(moved.url()).value(), 307);
  EXPECT_EQ(other.requests(), 0);
}

TEST(CurlPoster, GivesUpAfterTheTime) {
  const OneAnswerServer silent("");
  const auto status = post(silent.url(), std::chrono::milliseconds(50));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "Timeout was reached");
}

TEST(CurlPoster, SaysWhatFailedWithoutTheUrl) {
  std::string gone;
  {
    const OneAnswerServer closed("");
    gone = closed.url();
  }
  EXPECT_EQ(post(gone).error().message, "Couldn't connect to server");
  EXPECT_EQ(post("http://alerts.invalid/SECRET").error().message, "Couldn't resolve host name");
  EXPECT_EQ(post("file:///etc/passwd").error().message, "Unsupported protocol");
}

TEST(CurlPoster, EndsWhatWaitsWhenItIsStopped) {
  const OneAnswerServer silent("");
  const auto poster = curl_poster();
  std::thread stopper([&] {
    while (silent.requests() == 0) std::this_thread::yield();
    poster->stop();
  });
  const auto status = poster->post(silent.url(), "application/json", "{}END", std::chrono::minutes(10));
  stopper.join();
  EXPECT_FALSE(status);
}

}  // namespace curl_poster_test
}  // namespace sonde::monitor
