#include <array>
#include <chrono>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/http/client.h"
#include "shared/tcp_server.h"

namespace sonde::http {
namespace http_client_test {

using std::chrono::milliseconds;
using std::chrono::seconds;

bool never() { return false; }

Request request_to(const std::string& url) { return {.url = url, .timeout = seconds(30), .ignore_proxies = true}; }

Outcome get(const std::string& url) { return Client().exchange(request_to(url), never); }

TcpServer::Answers always(const std::string& text, bool closes = false) {
  return [=](const std::string& /*request*/) { return TcpServer::Answer{text, closes}; };
}

TEST(HttpClient, SendsARequestAndReadsTheResponse) {
  const TcpServer server(always("HTTP/1.1 201 Created\r\nX-Kind: a b\r\nContent-Length: 5\r\n\r\nhello"));
  Request request = request_to(server.url("/path?query"));
  request.method = "POST";
  request.body = "{}";
  request.headers = {"Content-Type: application/json", "accept: text/plain"};
  const auto response = Client().exchange(request, never);
  ASSERT_TRUE(response) << response.error().what;
  EXPECT_EQ(response->status, 201);
  EXPECT_EQ(response->headers.at("x-kind"), "a b");
  EXPECT_EQ(response->body, "hello");
  EXPECT_EQ(server.requests().at(0),
            fmt::format("POST /path?query HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nUser-Agent: sonde\r\n"
                        "Content-Type: application/json\r\naccept: text/plain\r\nContent-Length: 2\r\n\r\n{{}}",
                        server.port()));
}

TEST(HttpClient, RefusesALineBreakInAHeader) {
  const TcpServer server(always(ok("hi").text));
  Request request = request_to(server.url());
  request.headers = {"Key: a\r\nOther: b"};
  EXPECT_EQ(Client().exchange(request, never).error().what, "a header contains a line break");
  EXPECT_TRUE(server.requests().empty());
}

TEST(HttpClient, ReadsEveryFormOfBody) {
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
  const TcpServer in_chunks(always(chunked));
  EXPECT_EQ(get(in_chunks.url()).value().body, "abcde");
  const TcpServer to_the_end(always("HTTP/1.0 200 OK\r\n\r\nall of it", true));
  EXPECT_EQ(get(to_the_end.url()).value().body, "all of it");
  const TcpServer none(always("HTTP/1.1 204 No Content\r\n\r\n"));
  EXPECT_EQ(get(none.url()).value().status, 204);
  const TcpServer later(always("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  EXPECT_EQ(get(later.url()).value().body, "ok");
}

TEST(HttpClient, HandsPartsOfTheBodyOn) {
  const std::string body(1'000'000, 'x');
  const TcpServer server([&](const std::string& /*request*/) { return ok(body); });
  Request request = request_to(server.url());
  std::string taken;
  request.take_body = [&](std::string_view part) { taken += part; };
  EXPECT_EQ(Client().exchange(request, never).value().body, "");
  EXPECT_EQ(taken, body);
}

TEST(HttpClient, KeepsItsConnection) {
  const TcpServer server([](const std::string& /*request*/) { return ok("hi"); });
  Client client;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.exchange(request_to(server.url()), never).value().body, "hi");
  EXPECT_EQ(server.connections(), 1);
}

TEST(HttpClient, ConnectsAgainWhereTheServerClosedTheConnection) {
  std::atomic<int> asked = 0;
  const TcpServer server([&](const std::string& /*request*/) {
    return ++asked == 2 ? TcpServer::Answer{"", true} : ok("hi");  // the second request is not answered
  });
  Client client;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(client.exchange(request_to(server.url()), never).value().body, "hi");
  EXPECT_EQ(asked, 3);
  const TcpServer closing(always(ok("hi").text, true));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(client.exchange(request_to(closing.url()), never).value().body, "hi");
}

/// Sends two requests on one connection; the server reads the second and closes.
Outcome second_of_two(const Request& request, std::atomic<int>& asked) {
  const TcpServer server(
      [&](const std::string& /*request*/) { return ++asked == 2 ? TcpServer::Answer{"", true} : ok("hi"); });
  Client client;
  Request sent = request;
  sent.url = server.url();
  EXPECT_TRUE(client.exchange(sent, never));
  return client.exchange(sent, never);
}

TEST(HttpClient, SendsOnceWhatTheServerMayHaveHandled) {
  Request request = request_to("");
  request.method = "POST";
  request.body = "{}";
  std::atomic<int> asked = 0;
  EXPECT_EQ(second_of_two(request, asked).error().kind, Failure::Kind::broken);
  EXPECT_EQ(asked, 2);
  asked = 0;
  request.is_repeatable = true;
  EXPECT_TRUE(second_of_two(request, asked));
  EXPECT_EQ(asked, 3);
}

TEST(HttpClient, SendsNothingWhereItIsCancelledBefore) {
  const TcpServer server([](const std::string& /*request*/) { return ok("hi"); });
  Client client;
  EXPECT_TRUE(client.exchange(request_to(server.url()), never));
  const auto at_once = [] { return true; };
  EXPECT_EQ(client.exchange(request_to(server.url()), at_once).error().kind, Failure::Kind::cancelled);
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(HttpClient, ReportsWhatBroke) {
  const auto what = [](const std::string& answer) { return get(TcpServer(always(answer, true)).url()).error().what; };
  const std::string early = "the server closed the connection before the response was complete";
  EXPECT_EQ(what(""), early);
  EXPECT_EQ(what("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort"), early);
  EXPECT_EQ(what("SSH-2.0-OpenSSH_9.2\r\n\r\n"), "malformed response: bad version");
  EXPECT_EQ(what("HTTP/1.1 200 OK\r\nX: " + std::string(300'000, 'x') + "\r\n\r\n"),
            "the head of the response exceeds 262144 bytes");
}

TEST(HttpClient, RefusesALongResponse) {
  const TcpServer with_length(always(ok(std::string(1001, 'x')).text));
  const TcpServer in_chunks(always("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n" +
                                   std::string(1001, 'x') + "\r\n0\r\n\r\n"));
  for (const TcpServer* const server : {&with_length, &in_chunks}) {
    Request request = request_to(server->url());
    request.max_body_bytes = 1001;
    EXPECT_TRUE(Client().exchange(request, never));
    request.max_body_bytes = 1000;
    EXPECT_EQ(Client().exchange(request, never).error().what, "the response exceeds 1000 bytes");
  }
}

TEST(HttpClient, EndsAfterItsTime) {
  for (const char* const answer : {"", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"}) {
    const TcpServer server(always(answer));
    Request request = request_to(server.url());
    request.timeout = milliseconds(50);
    const auto failure = Client().exchange(request, never).error();
    EXPECT_EQ(failure.kind, Failure::Kind::timed_out);
    EXPECT_EQ(failure.what, "no response within 0.05 s");
  }
}

TEST(HttpClient, HasATimeForTheConnectionAlone) {
  const TcpServer without_tls(always(""));
  Request request = request_to(fmt::format("https://127.0.0.1:{}/", without_tls.port()));
  request.connect_timeout = milliseconds(50);
  const auto failure = Client().exchange(request, never).error();
  EXPECT_EQ(failure.kind, Failure::Kind::unreachable);
  EXPECT_EQ(failure.what, "no connection within 0.05 s");
}

TEST(HttpClient, EndsWhereItIsCancelled) {
  const TcpServer silent(always(""));
  const auto is_asked = [&] { return !silent.requests().empty(); };
  EXPECT_EQ(Client().exchange(request_to(silent.url()), is_asked).error().kind, Failure::Kind::cancelled);
  const auto at_once = [] { return true; };
  EXPECT_EQ(Client().exchange(request_to("http://host.invalid"), at_once).error().kind, Failure::Kind::cancelled);
}

TEST(HttpClient, ReadsAResponseToARequestThatIsNotReadToItsEnd) {
  const std::string text = "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n";
  const TcpServer server(
      [&](const std::string& /*request*/) { return TcpServer::Answer{.text = text, .reads_on = false}; });
  Request request = request_to(server.url());
  request.headers = {"Content-Length: 0"};  // the server looks at the first such field, and answers the head
  request.body = std::string(64U << 20, 'x');
  EXPECT_EQ(Client().exchange(request, never).value().status, 413);
}

TEST(HttpClient, SendsManyRequestsFromOneThread) {
  constexpr int kRequests = 40;
  const TcpServer silent(always(""));
  const TcpServer server([](const std::string& request) { return ok(request.substr(0, request.find(" HTTP"))); });
  Client client;
  std::vector<std::string> bodies(kRequests);
  bool is_cancelled = false;
  uint64_t held = 0;
  client.post([&] {
    held = client.start(request_to(silent.url()), [&](const Outcome& outcome) {
      is_cancelled = !outcome && outcome.error().kind == Failure::Kind::cancelled;
    });
    for (int i = 0; i < kRequests; ++i) {
      client.start(request_to(server.url(fmt::format("/{}", i))), [&bodies, i](const Outcome& outcome) {
        bodies[static_cast<size_t>(i)] = outcome ? outcome->body : outcome.error().what;
      });
    }
  });
  std::jthread canceller([&] {
    while (silent.requests().empty()) std::this_thread::yield();
    client.post([&] {
      client.cancel(held);
      client.finish();
    });
  });
  client.run();
  canceller.join();
  EXPECT_TRUE(is_cancelled);
  for (int i = 0; i < kRequests; ++i) EXPECT_EQ(bodies[static_cast<size_t>(i)], fmt::format("GET /{}", i));
}

/// The variables of proxies, as one test sets them.
class ProxyVariables {
 public:
  ProxyVariables(const std::string& http_proxy, const std::string& no_proxy) {
    for (const char* const name : kNames) unsetenv(name);
    setenv("http_proxy", http_proxy.c_str(), 1);
    setenv("https_proxy", http_proxy.c_str(), 1);
    setenv("no_proxy", no_proxy.c_str(), 1);
  }
  ~ProxyVariables() {
    for (const char* const name : kNames) unsetenv(name);
  }
  ProxyVariables(const ProxyVariables&) = delete;
  ProxyVariables& operator=(const ProxyVariables&) = delete;

 private:
  static constexpr std::array kNames = {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy",
                                        "ALL_PROXY",  "no_proxy",    "NO_PROXY"};
};

Outcome get_by_proxy(const std::string& url) { return Client().exchange({.url = url, .timeout = seconds(30)}, never); }

TEST(HttpClient, AsksTheProxyOfTheEnvironment) {
  const TcpServer proxy([](const std::string& /*request*/) { return ok("by proxy"); });
  const ProxyVariables variables(fmt::format("user:word@127.0.0.1:{}", proxy.port()), "direct.invalid");
  EXPECT_EQ(get_by_proxy("http://host.invalid:81/path").value().body, "by proxy");
  EXPECT_EQ(proxy.requests().at(0),
            "GET http://host.invalid:81/path HTTP/1.1\r\nHost: host.invalid:81\r\nUser-Agent: sonde\r\n"
            "Proxy-Authorization: Basic dXNlcjp3b3Jk\r\nAccept: */*\r\n\r\n");
  EXPECT_EQ(get_by_proxy("http://a.direct.invalid/").error().kind, Failure::Kind::unreachable);
  EXPECT_EQ(proxy.requests().size(), 1U);
}

TEST(HttpClient, ReportsAProxyThatRefuses) {
  const TcpServer proxy(always("HTTP/1.1 407 Who\r\nContent-Length: 0\r\n\r\n"));
  const ProxyVariables variables(proxy.url(), "");
  const auto failure = get_by_proxy("https://host.invalid/").error();
  EXPECT_EQ(failure.kind, Failure::Kind::unreachable);
  EXPECT_EQ(failure.what, "the proxy answered CONNECT with status 407");
  EXPECT_EQ(proxy.requests().at(0),
            "CONNECT host.invalid:443 HTTP/1.1\r\nHost: host.invalid:443\r\nUser-Agent: sonde\r\n\r\n");
}

TEST(HttpClient, RefusesAProxyOfAnotherKind) {
  const ProxyVariables variables("socks5://127.0.0.1:1", "");
  EXPECT_EQ(get_by_proxy("http://host.invalid/").error().what,
            "the environment names a proxy with the scheme socks5; only http is supported");
}

}  // namespace http_client_test
}  // namespace sonde::http
