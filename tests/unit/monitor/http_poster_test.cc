#include <thread>

#include <gtest/gtest.h>

#include "monitor/alerts.h"
#include "shared/tcp_server.h"

namespace sonde::monitor {
namespace http_poster_test {

TcpServer::Answers always(const std::string& text) {
  return [=](const std::string& /*request*/) { return TcpServer::Answer{.text = text, .closes = !text.empty()}; };
}

constexpr auto kPatience = std::chrono::seconds(30);

Result<int> post(const std::string& url, std::chrono::milliseconds timeout = kPatience) {
  return http_poster()->post(url, "application/json", "{}", timeout);
}

TEST(HttpPoster, GivesTheStatus) {
  const TcpServer fine(always("HTTP/1.1 202 Accepted\r\nContent-Length: 5\r\n\r\nhello"));
  EXPECT_EQ(post(fine.url("/alerts")).value(), 202);
  const std::string request = fine.requests().at(0);
  EXPECT_TRUE(request.starts_with("POST /alerts HTTP/1.1\r\n")) << request;
  EXPECT_TRUE(request.contains("Content-Type: application/json\r\n"));
  EXPECT_TRUE(request.ends_with("\r\n\r\n{}"));
  const TcpServer busy(always("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"));
  EXPECT_EQ(post(busy.url("/alerts")).value(), 503);
}

TEST(HttpPoster, DoesNotFollowRedirects) {
  const TcpServer other(always("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
  const TcpServer moved(
      always(fmt::format("HTTP/1.1 307 Moved\r\nLocation: {}\r\nContent-Length: 0\r\n\r\n", other.url("/alerts"))));
  EXPECT_EQ(post(moved.url("/alerts")).value(), 307);
  EXPECT_EQ(other.connections(), 0);
}

TEST(HttpPoster, GivesUpAfterTheTime) {
  const TcpServer silent(always(""));
  const auto status = post(silent.url("/alerts"), std::chrono::milliseconds(50));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "no response within 0.05 s");
}

TEST(HttpPoster, SaysWhatFailedWithoutTheUrl) {
  std::string gone;
  {
    const TcpServer closed(always(""));
    gone = closed.url("/alerts");
  }
  EXPECT_EQ(post(gone).error().message, "Connection refused");
  const std::string unknown = post("http://alerts.invalid/SECRET").error().message;  // in words of the C library
  EXPECT_FALSE(unknown.empty() || unknown.contains("SECRET")) << unknown;
  EXPECT_EQ(post("file:///etc/passwd").error().message, "unsupported URL scheme");
}

TEST(HttpPoster, EndsWhatWaitsWhenItIsStopped) {
  const TcpServer silent(always(""));
  const auto poster = http_poster();
  const std::jthread stopper([&] {
    while (silent.requests().empty()) std::this_thread::yield();
    poster->stop();
  });
  const auto status = poster->post(silent.url("/alerts"), "application/json", "{}", std::chrono::minutes(10));
  EXPECT_FALSE(status);
}

}  // namespace http_poster_test
}  // namespace sonde::monitor
