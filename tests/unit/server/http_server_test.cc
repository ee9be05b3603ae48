#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "api/kept_log.h"
#include "base/text/decimal.h"
#include "server/server.h"

namespace sonde::server {
namespace http_server_test {

/// A client that sends bytes as they are.
class Client {
 public:
  explicit Client(const std::string& address) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const size_t colon = address.rfind(':');
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_port = htons(*integer_of<uint16_t>(address.substr(colon + 1)));
    inet_pton(AF_INET, address.substr(0, colon).c_str(), &to.sin_addr);
    const timeval patience = {.tv_sec = 60, .tv_usec = 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    connected_ = connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool send(std::string_view bytes) const {
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
  }
  void half_close() const { shutdown(socket_, SHUT_WR); }
  /// More bytes; false where the server closed.
  bool receive() {
    std::array<char, 4096> part = {};
    const ssize_t count = recv(socket_, part.data(), part.size(), 0);
    if (count > 0) text_.append(part.data(), static_cast<size_t>(count));
    return count > 0;
  }
  std::string until(std::string_view end) {
    while (text_.find(end) == std::string::npos && receive()) {
    }
    return text_;
  }
  std::string until_closed() {
    while (receive()) {
    }
    return text_;
  }
  /// Status and body of the next response, which is taken away.
  std::pair<int, std::string> response() {
    until("\r\n\r\n");
    const size_t head = text_.find("\r\n\r\n");
    if (head == std::string::npos) return {0, text_};
    const size_t at = text_.find("Content-Length: ");
    const size_t length = *integer_of<size_t>(text_.substr(at + 16, text_.find('\r', at) - at - 16));
    while (text_.size() < head + 4 + length && receive()) {
    }
    std::pair<int, std::string> result{*integer_of<int>(text_.substr(9, 3)), text_.substr(head + 4, length)};
    text_.erase(0, head + 4 + length);
    return result;
  }

 private:
  int socket_;
  bool connected_ = false;
  std::string text_;
};

class HttpServer : public ::testing::Test {
 protected:
  void start() {
    options_.port = 0;
    auto started =
        Server::start(options_, [this](const api::Request& r) { return answer(r); }, events_, log_, stream_pace_);
    ASSERT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
  }
  api::Response answer(const api::Request& request) {
    api::Response response;
    response.body = request.path + "|" + request.body + "|" + request.remote_address;
    if (request.path == "/events") response.events.emplace();
    if (request.path == "/revoked" && (asked_++ == 0 || !is_revoked_)) response.events.emplace();
    if (request.is_checked_again) ++checked_again_;
    if (request.path == "/large") response.body = std::string(16 << 20, 'x');
    if (request.path == "/hangs") hangs_.get_future().wait();
    if (request.path == "/throw") throw std::runtime_error("x");
    if (request.path == "/later") response.later = [this](const Done& done) { hold(done); };
    if (request.path == "/later/throw") response.later = [](const Done& /*done*/) { throw std::runtime_error("x"); };
    if (request.path == "/waits") {
      response.later = [this](const Done& done) { hold(done); };
      response.is_only_waiting = true;
    }
    return response;
  }
  using Done = std::function<void(api::Response)>;
  void hold(const Done& done) {
    const std::scoped_lock lock(held_mutex_);
    held_.push_back(done);
    held_one_.notify_all();
  }
  /// The answer that is held next, once a request asks for it.
  Done next_held() {
    std::unique_lock lock(held_mutex_);
    held_one_.wait(lock, [&] { return !held_.empty(); });
    const Done done = held_.front();
    held_.pop_front();
    return done;
  }
  static api::Response text(std::string body, int status = 200) {
    api::Response response;
    response.status = status;
    response.body = std::move(body);
    return response;
  }
  Client client() const { return Client(server_->address()); }
  /// The status that a server gives to some bytes.
  int status_of(std::string_view bytes) {
    Client c(server_->address());
    c.send(bytes);
    return c.response().first;
  }

  config::Server options_;
  monitor::EventLog events_;
  KeptLog log_;
  std::chrono::milliseconds stream_pace_ = kStreamPace;
  std::atomic<int> asked_ = 0;
  std::atomic<int> checked_again_ = 0;
  std::atomic<bool> is_revoked_ = false;
  std::promise<void> hangs_;
  std::mutex held_mutex_;
  std::condition_variable held_one_;
  std::deque<Done> held_;
  std::unique_ptr<Server> server_;
};

constexpr std::string_view kGet = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";

TEST_F(HttpServer, AnswersOneAfterTheOther) {
  start();
  Client c(server_->address());
  for (int i = 0; i < 3; ++i) {
    c.send(kGet);
    EXPECT_EQ(c.response(), std::pair(200, std::string("/a||127.0.0.1")));
  }
  EXPECT_EQ(server_->counts().accepted, 1);
  EXPECT_EQ(server_->counts().requests, 3);
}

TEST_F(HttpServer, AnswersRequestsThatWereSentAhead) {
  start();
  Client c(server_->address());
  std::string many;
  for (int i = 0; i < 200; ++i) many += fmt::format("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", i);
  c.send(many);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(c.response().second, fmt::format("/{}||127.0.0.1", i));
}

TEST_F(HttpServer, TakesBodiesOfBothForms) {
  start();
  Client c(server_->address());
  c.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_EQ(c.response().second, "/a|hello|127.0.0.1");
  c.send("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n");
  EXPECT_EQ(c.response().second, "/a|hello|127.0.0.1");
}

TEST_F(HttpServer, SaysThatABodyMayCome) {
  start();
  Client c(server_->address());
  c.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(c.until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  c.send("hello");
  EXPECT_NE(c.until("/a|hello|").find("HTTP/1.1 200 OK"), std::string::npos);
}

TEST_F(HttpServer, HeadIsGetWithoutABody) {
  start();
  Client c(server_->address());
  c.send("HEAD /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string text = c.until_closed();
  EXPECT_NE(text.find("Content-Length: 13\r\n"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\r\n\r\n"));
}

TEST_F(HttpServer, RefusesBodiesBeforeTheyAreRead) {
  options_.max_body_bytes = 100;
  start();
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n"), 413);
  EXPECT_EQ(status_of("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\nExpect: 100-continue\r\n\r\n"),
            413);
  EXPECT_EQ(
      status_of("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n" + std::string(101, 'x')),
      413);
  EXPECT_EQ(status_of("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n" + std::string(100, 'x')), 200);
}

TEST_F(HttpServer, RefusesLargeHeads) {
  options_.max_header_bytes = 1000;
  start();
  EXPECT_EQ(status_of("GET /" + std::string(600, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n"), 414);
  EXPECT_EQ(status_of("GET /" + std::string(20000, 'a')), 414);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(20000, 'a')), 431);
  std::string many = "GET / HTTP/1.1\r\nHost: x\r\n";
  for (int i = 0; i < 200; ++i) many += fmt::format("X{}: y\r\n", i);
  EXPECT_EQ(status_of(many + "\r\n"), 431);
}

TEST_F(HttpServer, RefusesWhatTwoReadersCouldReadInTwoWays) {
  start();
  const std::string post = "POST /a HTTP/1.1\r\nHost: x\r\n";
  for (const char* fields : {"Content-Length: 5\r\nTransfer-Encoding: chunked",
                             "Transfer-Encoding: chunked\r\nContent-Length: 5",
                             "Content-Length: 5\r\nContent-Length: 6",
                             "Content-Length: 5, 6",
                             "Content-Length: -1",
                             "Content-Length: +5",
                             "Content-Length: 0x5",
                             "Content-Length: ",
                             "Content-Length: 99999999999999999999999",
                             "Transfer-Encoding: gzip",
                             "Transfer-Encoding: chunked, gzip",
                             "Transfer-Encoding: gzip, chunked",
                             "Transfer-Encoding: identity",
                             "Transfer-Encoding: xchunked",
                             "Transfer-Encoding : chunked",
                             "Content-Length : 5",
                             "Host: y",
                             "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
                             "X\r\nY: z",
                             "X: a\x01"}) {
    EXPECT_EQ(status_of(post + fields + "\r\n\r\n0\r\n\r\n"), 400) << fields;
  }
  EXPECT_EQ(status_of("POST /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400);
}

TEST_F(HttpServer, RefusesWhatIsNoHttp) {
  start();
  for (const char* bytes :
       {"hello\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET  / HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /../a HTTP/1.1\r\nHost: x\r\n\r\n", "GET /%2e%2e/a HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /a%00 HTTP/1.1\r\nHost: x\r\n\r\n", "G\x01T / HTTP/1.1\r\nHost: x\r\n\r\n", "\x16\x03\x01\x02\r\n\r\n"}) {
    EXPECT_EQ(status_of(bytes), 400) << bytes;
  }
  EXPECT_EQ(status_of("GET / HTTP/1.1\nHost: x\n\n"), 505);
  EXPECT_EQ(status_of("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 505);
  EXPECT_EQ(status_of("GET /a HTTP/1.1\r\nHost: x\r\nExpect: the worst\r\n\r\n"), 417);
}

TEST_F(HttpServer, SlowRequestsAreEnded) {
  options_.request_timeout = 0.05;
  start();
  Client head(server_->address());
  head.send("GET /a HT");
  EXPECT_EQ(head.response().first, 408);
  EXPECT_FALSE(head.receive());
  Client body(server_->address());
  body.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhe");
  EXPECT_EQ(body.response().first, 408);
  Client silent(server_->address());
  EXPECT_EQ(silent.until_closed(), "");
  EXPECT_EQ(server_->counts().timed_out, 3);
}

TEST_F(HttpServer, IdleConnectionsAreClosed) {
  options_.idle_timeout = 0.05;
  start();
  Client c(server_->address());
  c.send(kGet);
  EXPECT_EQ(c.response().first, 200);
  EXPECT_FALSE(c.receive());
}

TEST_F(HttpServer, ThoseThatWaitLongestMakeRoom) {
  options_.max_connections = 4;
  start();
  std::vector<std::unique_ptr<Client>> idle;
  for (int i = 0; i < 50; ++i) {
    idle.push_back(std::make_unique<Client>(server_->address()));
    idle.back()->send("GET /");
  }
  EXPECT_EQ(status_of(kGet), 200);
  EXPECT_EQ(idle.front()->until_closed(), "");
}

TEST_F(HttpServer, WhenAllAreBusyNewOnesAreRefusedButHealthAnswers) {
  options_.max_connections = 2;
  start();
  Client stream(server_->address());
  stream.send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
  stream.until("\r\n\r\n");
  options_.max_connections = 1;
  start();  // one stream is all that it takes
  Client other(server_->address());
  other.send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_NE(other.until("\r\n\r\n").find("text/event-stream"), std::string::npos);
  EXPECT_EQ(status_of(kGet), 503);
  EXPECT_EQ(status_of("GET /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n"), 200);
}

TEST_F(HttpServer, StreamsEvents) {
  start();
  events_.add("samples", "1");
  Client c(server_->address());
  c.send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_NE(c.until("data: 1\n\n").find("id: 1\nevent: samples\ndata: 1\n\n"), std::string::npos);
  events_.add("incident", "2");
  EXPECT_NE(c.until("data: 2\n\n").find("id: 2\nevent: incident\ndata: 2\n\n"), std::string::npos);
  server_->stop(std::chrono::seconds(30));
  c.until_closed();
  EXPECT_EQ(server_->counts().connections, 0);
}

TEST_F(HttpServer, NoticesThatAStreamWasClosed) {
  start();
  {
    Client c(server_->address());
    c.send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
    c.until("\r\n\r\n");
  }
  while (server_->counts().connections > 0) usleep(1000);
}

TEST_F(HttpServer, AStreamEndsOnceItsKeyIsRevoked) {
  stream_pace_ = std::chrono::milliseconds(5);
  start();
  Client c(server_->address());
  c.send("GET /revoked HTTP/1.1\r\nHost: x\r\n\r\n");
  c.until(":\n\n");  // it is quiet, and the key is good still
  while (checked_again_ < 3) ASSERT_TRUE(c.receive());
  is_revoked_ = true;
  const std::string text = c.until_closed();
  EXPECT_TRUE(text.ends_with(":\n\n")) << text;
  EXPECT_EQ(server_->counts().requests, 1);
}

TEST_F(HttpServer, AStreamThatIsRevokedTellsNoEventAnyMore) {
  stream_pace_ = std::chrono::milliseconds(0);
  is_revoked_ = true;
  start();
  Client c(server_->address());
  c.send("GET /revoked HTTP/1.1\r\nHost: x\r\n\r\n");
  events_.add("samples", "secret");
  EXPECT_EQ(c.until_closed().find("secret"), std::string::npos);
}

TEST_F(HttpServer, AStreamIsNotBoundToTheTimeOfARequest) {
  options_.request_timeout = 0.02;
  start();
  Client quiet(server_->address());
  quiet.send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
  quiet.until(": \n\n");
  Client timer(server_->address());  // which the server ends after the same time
  EXPECT_EQ(timer.until_closed(), "");
  Client again(server_->address());
  EXPECT_EQ(again.until_closed(), "");
  events_.add("samples", "1");
  EXPECT_NE(quiet.until("data: 1\n\n").find("data: 1\n\n"), std::string::npos);
}

TEST_F(HttpServer, AStreamWhoseReaderDoesNotReadIsCutOff) {
  options_.request_timeout = 0.05;
  start();
  Client slow(server_->address());
  slow.send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
  slow.until("\r\n\r\n");
  const std::string much(1 << 16, 'x');
  while (server_->counts().connections > 0) {  // until the system's buffers are full
    if (server_->counts().timed_out == 0) events_.add("samples", much);
    usleep(1000);
  }
  EXPECT_EQ(server_->counts().timed_out, 1);
  EXPECT_EQ(status_of(kGet), 200);
}

TEST_F(HttpServer, AnswersThatNobodyReadsTakeBoundedMemory) {
  start();
  std::vector<std::unique_ptr<Client>> slow;
  int status = 0;
  for (int i = 0; i < 50 && status != 503; ++i) {
    slow.push_back(std::make_unique<Client>(server_->address()));
    slow.back()->send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
    status = *integer_of<int>(slow.back()->until("\r\n\r\n").substr(9, 3));
  }
  EXPECT_EQ(status, 503);
  EXPECT_LT(slow.size(), 20);  // the system's buffers hold some of it too
  EXPECT_EQ(status_of(kGet), 200);
  slow.clear();
  while (server_->counts().connections > 0) usleep(1000);
  EXPECT_EQ(status_of("GET /large HTTP/1.1\r\nHost: x\r\n\r\n"), 200);
}

/// The time may be over just between two steps of one operation.
TEST_F(HttpServer, TimeLimitsHoldForThoseWhoSendAllTheTime) {
  options_.request_timeout = 0.02;
  start();
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 200; ++i) {
    clients.push_back(std::make_unique<Client>(server_->address()));
    clients.back()->send("GET /a HTTP/1.1\r\nHost: x\r\nX: ");
  }
  while (server_->counts().timed_out < 200) {
    for (const auto& client : clients) static_cast<void>(client->send("a"));
  }
  clients.clear();
  while (server_->counts().connections > 0) usleep(1000);
}

TEST_F(HttpServer, NoAnswerIsMadeAnyMoreOnceItHasStopped) {
  start();
  Client c(server_->address());
  c.send("GET /hangs HTTP/1.1\r\nHost: x\r\n\r\n");
  while (server_->counts().requests < 1) usleep(1000);
  auto stopped = std::async(std::launch::async, [&] { server_->stop(std::chrono::milliseconds(0)); });
  EXPECT_EQ(stopped.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  hangs_.set_value();
  stopped.wait();
  EXPECT_EQ(server_->counts().connections, 0);
}

constexpr std::string_view kGetLater = "GET /later HTTP/1.1\r\nHost: x\r\n\r\n";
constexpr std::string_view kGetWaits = "GET /waits HTTP/1.1\r\nHost: x\r\n\r\n";

TEST_F(HttpServer, AnswersThatComeLaterHoldNoThread) {
  start();
  std::deque<Client> clients;
  for (int i = 0; i < 40; ++i) clients.emplace_back(server_->address()).send(kGetLater);
  std::vector<Done> held;
  for (int i = 0; i < 40; ++i) held.push_back(next_held());
  Client other(server_->address());
  other.send(kGet);
  EXPECT_EQ(other.response().first, 200) << "forty wait, and the pool has four threads";
  for (const Done& done : held) done(text("made", 201));
  for (Client& c : clients) EXPECT_EQ(c.response(), std::pair(201, std::string("made")));
  clients.front().send(kGet);
  EXPECT_EQ(clients.front().response().first, 200) << "the connection goes on";
}

TEST_F(HttpServer, ALaterAnswerMayBeMadeOnAThreadOfTheServer) {
  start();
  Client c(server_->address());
  c.send(kGetLater);
  api::Response second;
  second.later = [](const Done& done) { done(text("second")); };
  next_held()(second);
  EXPECT_EQ(c.response().second, "second");
  c.send("GET /later/throw HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(c.response().first, 500);
}

TEST_F(HttpServer, ALaterAnswerMayComeWhenTheClientIsGone) {
  start();
  for (const auto get : {kGetLater, kGetWaits}) {
    auto c = std::make_unique<Client>(server_->address());
    c->send(get);
    const Done done = next_held();
    c.reset();
    done(text("nobody reads this"));
  }
  Client other(server_->address());
  other.send(kGet);
  EXPECT_EQ(other.response().first, 200);
  while (server_->counts().connections > 1) std::this_thread::yield();
}

TEST_F(HttpServer, AWaitWhoseClientLeavesIsGivenUp) {
  start();
  auto c = std::make_unique<Client>(server_->address());
  c->send(kGetWaits);
  const Done done = next_held();
  c.reset();
  while (server_->counts().connections > 0) std::this_thread::yield();
  done(text("late"));
}

TEST_F(HttpServer, WaitsTakeRequestsThatWereSentAhead) {
  start();
  Client c(server_->address());
  c.send(std::string(kGetWaits) + std::string(kGet));
  next_held()(text("first"));
  EXPECT_EQ(c.response().second, "first");
  EXPECT_EQ(c.response().second, "/a||127.0.0.1");
  c.send(kGetWaits);
  const Done done = next_held();
  c.send(kGet);
  done(text("third"));
  EXPECT_EQ(c.response().second, "third");
  EXPECT_EQ(c.response().first, 200);
}

TEST_F(HttpServer, StoppingEndsWaitsAndWaitsForWhatIsMade) {
  start();
  Client waits(server_->address());
  waits.send(kGetWaits);
  const Done abandoned = next_held();
  Client later(server_->address());
  later.send(kGetLater);
  const Done made = next_held();
  auto stopped = std::async(std::launch::async, [&] { server_->stop(std::chrono::seconds(60)); });
  EXPECT_EQ(waits.response().first, 503);
  made(text("kept"));
  EXPECT_EQ(later.response().second, "kept");
  stopped.get();
  abandoned(text("too late"));
  server_.reset();
  abandoned(text("much too late"));
}

TEST_F(HttpServer, StoppingDoesNotWaitForEver) {
  start();
  Client c(server_->address());
  c.send(kGetLater);
  const Done done = next_held();
  server_->stop(std::chrono::milliseconds(20));
  server_.reset();
  done(text("nobody is there"));
}

TEST_F(HttpServer, AnErrorInsideIsA500) {
  start();
  EXPECT_EQ(status_of("GET /throw HTTP/1.1\r\nHost: x\r\n\r\n"), 500);
  EXPECT_EQ(status_of(kGet), 200);
}

TEST_F(HttpServer, RefusesToBeReachedWithoutEncryption) {
  options_.address = "0.0.0.0";
  const auto refused = Server::start(options_, {}, events_, log_);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("allow_plain_http"), std::string::npos);
  options_.allow_plain_http = true;
  start();
}

TEST_F(HttpServer, SaysWhyItCannotListen) {
  start();
  config::Server same = options_;
  same.port = *integer_of<int64_t>(server_->address().substr(server_->address().rfind(':') + 1));
  const auto second = Server::start(same, {}, events_, log_);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("is in use by another program"), std::string::npos);
  same.address = "gpu host";
  EXPECT_NE(
      Server::start(same, {}, events_, log_).error().message.find("is 'gpu host', which is not a valid IP address"),
      std::string::npos);
  same.address = "127.0.0.1";
  same.tls = {.certificate = "/no/such.pem", .key = "/no/such.key"};
  EXPECT_NE(Server::start(same, {}, events_, log_).error().message.find("/no/such.pem"), std::string::npos);
}

TEST_F(HttpServer, IsAliveWhileItServes) {
  start();
  EXPECT_TRUE(server_->alive(std::chrono::seconds(60)));
}

}  // namespace http_server_test
}  // namespace sonde::server
