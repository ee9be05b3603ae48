#pragma once

#include <sys/socket.h>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "server/asset.h"
#include "server/event_cursor.h"
#include "server/hub.h"
#include "server/page.h"
#include "server/refusal.h"
#include "server/response_text.h"
#include "server/target.h"

namespace sonde::server {

using Duration = std::chrono::steady_clock::duration;
using Parser = http::request_parser<http::string_body>;

inline Duration of_seconds(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

inline int64_t now_s() { return std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()); }

/// What a body takes beside the request itself. It grows by doubling, so that its length alone would say half of it.
inline size_t memory_of(const std::string& body) {
  return body.capacity() > std::string().capacity() ? body.capacity() : 0;
}

/// An answer that is made later: set on the io thread, once it is there.
struct LaterAnswer {
  std::optional<api::Response> made;
};

/// Takes an answer that is made later, from any thread; one that is to be made on the pool goes there first.
struct LaterTaker {
  std::weak_ptr<Hub> hub;
  std::shared_ptr<LaterAnswer> later;
  std::weak_ptr<Connection> connection;

  void operator()(api::Response response) const;
};

/// A request that was not taken in, or the request.
using Taken = std::expected<api::Request, const Refusal*>;

/// One connection over TCP or TLS: requests one after the other, so that those sent ahead wait in the system's buffers.
template <typename Stream>
class HttpConnection final : public Connection, public std::enable_shared_from_this<HttpConnection<Stream>> {
 public:
  /// `crowded`: the connection limit is reached; requests other than health checks get 503.
  template <typename... Tls>
  HttpConnection(std::shared_ptr<Hub> hub, Tcp::socket socket, bool crowded, Tls&... tls)
      : hub_(std::move(hub)), stream_(std::move(socket), tls...), crowded_(crowded) {
    // One field or chunk's head has to fit with what is read at once: without a limit it could grow for ever.
    constexpr size_t kReadAhead = 65536;
    buffer_.max_size(static_cast<size_t>(hub_->options.max_header_bytes) + kReadAhead);
    hub_->all.push_front(this);
    place_ = hub_->all.begin();
    ++hub_->connections;
  }
  ~HttpConnection() override {
    stop_waiting();
    forget_answer();
    hub_->all.erase(place_);
    --hub_->connections;
  }
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  void cut() override {
    cut_ = true;
    stop_waiting();
    allow_for_ever();
    wake_.cancel();
    error_code ignored;
    socket().close(ignored);
  }
  void wake() override {
    wake_.cancel();
    if (hub_->stopping && waits_) cut();
  }

  asio::awaitable<void> run() {
    const auto self = this->shared_from_this();
    start_waiting();
    if (co_await open()) {
      while (co_await serve_one()) {
        forget_answer();
        start_waiting();
      }
    }
    forget_answer();
    stop_waiting();
    co_await close();
    allow_for_ever();
  }

 private:
  static constexpr bool kTls = std::is_same_v<Stream, TlsStream>;
  static constexpr size_t kReadBytes = 4096;

  Tcp::socket& socket() {
    if constexpr (kTls) {
      return stream_.next_layer();
    } else {
      return stream_;
    }
  }

  void start_waiting() {
    stop_waiting();
    hub_->waiting.push_back(this);
    waiting_place_ = std::prev(hub_->waiting.end());
    waits_ = true;
  }
  void forget_answer() { hub_->answer_bytes -= std::exchange(answer_bytes_, 0); }
  void stop_waiting() {
    if (waits_) hub_->waiting.erase(waiting_place_);
    waits_ = false;
  }

  /// What is under way ends after `limit` with an error, and late_ is set. The socket stays open for an answer.
  void allow(Duration limit) {
    late_ = false;
    end_after(limit, ++turn_);
  }
  /// Again and again while that turn lasts: an operation of several steps may just be between two of them, and would
  /// begin the next one with nothing to end it.
  void end_after(Duration limit, uint64_t turn) {
    static constexpr auto kAgain = std::chrono::milliseconds(10);
    clock_.expires_after(limit);
    clock_.async_wait([self = this->shared_from_this(), turn](error_code error) {
      if (error || turn != self->turn_) return;
      self->late_ = true;
      error_code ignored;
      self->socket().cancel(ignored);
      self->end_after(kAgain, turn);
    });
  }
  void allow_for_ever() {
    ++turn_;
    clock_.cancel();
  }
  [[nodiscard]] Duration request_time() const {
    constexpr double kCrowdedSeconds = 5;
    const double limit = hub_->options.request_timeout;
    return of_seconds(crowded_ ? std::min(limit, kCrowdedSeconds) : limit);
  }

  asio::awaitable<bool> open();
  asio::awaitable<bool> serve_one();
  asio::awaitable<bool> first_byte();
  asio::awaitable<Taken> take();
  asio::awaitable<const Refusal*> take_body();
  asio::awaitable<bool> write(std::string text);
  asio::awaitable<bool> respond(api::Response response, bool keep_alive, bool head_only);
  asio::awaitable<api::Response> answer(api::Request request);
  asio::awaitable<api::Response> on_pool(std::function<api::Response()> make);
  asio::awaitable<api::Response> wait_for(std::shared_ptr<LaterAnswer> later, bool is_only_waiting);
  asio::awaitable<void> watch_for_close();
  asio::awaitable<void> follow(api::Response response, api::Request request);
  asio::awaitable<bool> stream_events(EventCursor& cursor, const api::Request& request);
  asio::awaitable<void> watch();
  asio::awaitable<void> close();
  const Refusal* refusal_of(error_code error);
  const Refusal* wrong_head();
  Taken request();

  std::shared_ptr<Hub> hub_;
  Stream stream_;
  asio::steady_timer clock_{hub_->io};
  asio::steady_timer wake_{hub_->io};
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  std::list<Connection*>::iterator place_;
  std::list<Connection*>::iterator waiting_place_;
  std::chrono::steady_clock::time_point checked_;  ///< the key of an event stream
  uint64_t turn_ = 0;
  size_t answer_bytes_ = 0;  ///< that the hub counts for this connection
  bool waits_ = false;
  bool late_ = false;  ///< a time limit passed
  bool cut_ = false;
  bool gone_ = false;  ///< the client of an event stream closed it
  bool crowded_ = false;
  bool opened_ = false;  ///< TLS is agreed on
};

api::Method method_of(http::verb verb);
/// Without what stands in front of an IPv4 address where one socket takes both.
std::string remote_address(const Tcp::socket& socket);
bool asks_for_health(const std::string& path);
/// Counted in answer_bytes where it has a body. One that is made later is begun, and comes to `done`.
api::Response answer_or_500(Hub& hub, const std::function<api::Response()>& make,
                            const std::function<void(api::Response)>& done);
api::Response counted(Hub& hub, api::Response response);

template <typename Stream>
asio::awaitable<bool> HttpConnection<Stream>::open() {
  if constexpr (kTls) {
    constexpr unsigned char kHandshake = 0x16;  // first byte of TLS; HTTP's are letters
    allow(request_time());
    const auto [unreadable] = co_await socket().async_wait(Tcp::socket::wait_read, kTold);
    unsigned char first = 0;
    if (unreadable || recv(socket().native_handle(), &first, 1, MSG_PEEK | MSG_DONTWAIT) != 1) co_return false;
    if (first != kHandshake) {
      const api::Response refusal = refused(refusals::plain_http);
      const std::string text = head_text(refusal, {.keep_alive = false, .now_s = now_s()}) + refusal.body;
      co_await asio::async_write(socket(), asio::buffer(text), kTold);
      co_return false;
    }
    const auto [error] = co_await stream_.async_handshake(asio::ssl::stream_base::server, kTold);
    if (late_) ++hub_->timed_out;
    opened_ = !error;
    co_return opened_;
  }
  co_return true;
}

/// Waits for a request to begin, for the idle time; for a new connection that of a request.
template <typename Stream>
asio::awaitable<bool> HttpConnection<Stream>::first_byte() {
  if (buffer_.size() > 0) co_return true;
  const bool is_new = !parser_.has_value();
  parser_.reset();
  buffer_.shrink_to_fit();
  allow(is_new ? request_time() : of_seconds(hub_->options.idle_timeout));
  const auto [error, bytes] = co_await stream_.async_read_some(buffer_.prepare(kReadBytes), kTold);
  if (error) {
    if (late_) ++hub_->timed_out;
    co_return false;
  }
  buffer_.commit(bytes);
  co_return true;
}

template <typename Stream>
asio::awaitable<bool> HttpConnection<Stream>::serve_one() {
  if (!co_await first_byte()) co_return false;
  const Taken taken = co_await take();
  stop_waiting();
  if (cut_) co_return false;
  if (!taken) {
    if (taken.error() == nullptr) co_return false;
    co_await respond(refused(*taken.error()), false, false);
    co_return false;
  }
  ++hub_->requests;
  const bool head_only = parser_->get().method() == http::verb::head;
  const size_t body_bytes = memory_of(taken->body);
  api::Response response = co_await answer(*taken);
  hub_->body_bytes -= body_bytes;
  if (response.events && !head_only) {
    co_await follow(std::move(response), *taken);
    co_return false;
  }
  co_return co_await respond(std::move(response), parser_->get().keep_alive() && !hub_->stopping && !crowded_,
                             head_only);
}

/// The next request, within its time. The refusal is null where the client is gone.
template <typename Stream>
asio::awaitable<Taken> HttpConnection<Stream>::take() {
  allow(request_time());
  parser_.emplace();
  parser_->header_limit(static_cast<uint32_t>(hub_->options.max_header_bytes));
  parser_->body_limit(static_cast<uint64_t>(hub_->options.max_body_bytes));
  const auto [error, bytes] = co_await http::async_read_header(stream_, buffer_, *parser_, kTold);
  const Refusal* refusal = error ? refusal_of(error) : wrong_head();
  if (!error && refusal == nullptr) {
    refusal = co_await take_body();
    if (refusal == nullptr && cut_) co_return std::unexpected(nullptr);
  } else if (refusal == nullptr) {
    co_return std::unexpected(nullptr);
  }
  if (refusal != nullptr) co_return std::unexpected(refusal);
  co_return request();
}

template <typename Stream>
asio::awaitable<const Refusal*> HttpConnection<Stream>::take_body() {
  if (parser_->is_done()) co_return nullptr;
  if (parser_->get().count(http::field::expect) > 0 && parser_->get().version() > 10) {
    if (!co_await write("HTTP/1.1 100 Continue\r\n\r\n")) co_return nullptr;
    allow(request_time());
  }
  size_t held = 0;
  const Refusal* refusal = nullptr;
  while (refusal == nullptr && !parser_->is_done()) {
    const auto [error, bytes] = co_await http::async_read_some(stream_, buffer_, *parser_, kTold);
    const size_t now = memory_of(parser_->get().body());
    hub_->body_bytes += now - held;
    held = now;
    if (error) refusal = refusal_of(error);
    if (error && refusal == nullptr) cut_ = true;
    if (cut_) break;
    if (refusal == nullptr && hub_->body_bytes > hub_->max_body_bytes()) refusal = &refusals::busy;
  }
  if (refusal != nullptr || cut_) {
    hub_->body_bytes -= held;
    std::string().swap(parser_->get().body());  // the client may take its time to read why
  }
  co_return refusal;
}

/// Why a request could not be read; null where the client went away.
template <typename Stream>
const Refusal* HttpConnection<Stream>::refusal_of(error_code error) {
  if (cut_) return nullptr;
  if (late_) {
    ++hub_->timed_out;
    return &refusals::request_timeout;
  }
  if (error == http::error::buffer_overflow && parser_->is_header_done()) return &refusals::body_too_large;
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    const auto* const text = static_cast<const char*>(buffer_.data().data());
    const bool whole_line =
        !parser_->get().target().empty() || std::string_view(text, buffer_.size()).find('\n') != std::string_view::npos;
    return whole_line ? &refusals::header_too_large : &refusals::path_too_long;
  }
  if (error == http::error::body_limit) return &refusals::body_too_large;
  if (error == http::error::bad_version) return &refusals::unknown_version;
  if (error == http::error::bad_content_length || error == http::error::multiple_content_length ||
      error == http::error::bad_transfer_encoding) {
    return &refusals::ambiguous_length;
  }
  const bool gone = error.category() != http::make_error_code(http::error::bad_value).category() ||
                    error == http::error::end_of_stream || error == http::error::partial_message;
  return gone ? nullptr : &refusals::malformed_request;
}

/// What Beast lets pass and this server does not.
template <typename Stream>
const Refusal* HttpConnection<Stream>::wrong_head() {
  const auto& head = parser_->get();
  const auto coding = head.find(http::field::transfer_encoding);
  if (coding != head.end() && (!beast::iequals(coding->value(), "chunked") || head.version() < 11 ||
                               head.count(http::field::content_length) > 0)) {
    return &refusals::ambiguous_length;
  }
  const size_t hosts = head.count(http::field::host);
  if (hosts > 1 || (hosts == 0 && head.version() > 10)) return &refusals::malformed_request;
  if (head.count(http::field::authorization) > 1) return &refusals::malformed_request;
  if (head.target().size() > static_cast<size_t>(hub_->options.max_header_bytes) / 2) return &refusals::path_too_long;
  const auto expectation = head.find(http::field::expect);
  if (expectation != head.end() && !beast::iequals(expectation->value(), "100-continue")) {
    return &refusals::unknown_expectation;
  }
  return nullptr;
}

template <typename Stream>
Taken HttpConnection<Stream>::request() {
  auto& message = parser_->get();
  auto target = parse_target(std::string_view(message.target().data(), message.target().size()));
  if (!target) {
    hub_->body_bytes -= memory_of(message.body());
    return std::unexpected(&refusals::malformed_path);
  }
  api::Request request;
  request.method = method_of(message.method());
  request.path = std::move(target->path);
  request.query = std::move(target->query);
  for (const auto& field : message) {
    std::string name(field.name_string());
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    auto [at, is_first] = request.headers.try_emplace(std::move(name), field.value());
    if (!is_first) at->second.append(", ").append(field.value());
  }
  request.body = std::move(message.body());
  request.remote_address = remote_address(socket());
  return request;
}

template <typename Stream>
asio::awaitable<api::Response> HttpConnection<Stream>::answer(api::Request request) {
  if (crowded_ && !asks_for_health(request.path)) {
    ++hub_->refused_connections;
    co_return refused(refusals::too_many_connections);
  }
  if (auto page = page_response(request, live_assets())) co_return std::move(*page);
  if (hub_->stopping) co_return refused(refusals::stopping);
  allow_for_ever();
  api::Response response = co_await on_pool([hub = hub_.get(), &request] { return hub->answer(request); });
  answer_bytes_ += response.body.size();
  co_return response;
}

/// Makes an answer on a thread of the pool; one that is made later holds none while it is waited for.
template <typename Stream>
asio::awaitable<api::Response> HttpConnection<Stream>::on_pool(std::function<api::Response()> make) {
  const auto later = std::make_shared<LaterAnswer>();
  const LaterTaker done{.hub = hub_, .later = later, .connection = this->weak_from_this()};
  auto begin = [hub = hub_.get(), &make, &done]() -> asio::awaitable<api::Response> {
    co_return answer_or_500(*hub, make, done);
  };
  api::Response response = co_await asio::co_spawn(hub_->pool, std::move(begin), asio::use_awaitable);
  if (!response.later) co_return response;
  co_return counted(*hub_, co_await wait_for(later, response.is_only_waiting));
}

template <typename Stream>
asio::awaitable<api::Response> HttpConnection<Stream>::wait_for(std::shared_ptr<LaterAnswer> later,
                                                                bool is_only_waiting) {
  gone_ = false;
  const bool is_watched = is_only_waiting && !later->made;
  if (is_watched) asio::co_spawn(hub_->io, watch_for_close(), asio::detached);
  while (!later->made && !cut_ && !gone_ && !(hub_->stopping && is_only_waiting)) {
    wake_.expires_at(std::chrono::steady_clock::time_point::max());
    co_await wake_.async_wait(kTold);
  }
  error_code ignored;
  if (is_watched && !cut_) socket().cancel(ignored);
  if (later->made) co_return std::move(*later->made);
  co_return refused(refusals::stopping);
}

/// Notices that the client of a long wait goes away. What it sends meanwhile stays where it is.
template <typename Stream>
asio::awaitable<void> HttpConnection<Stream>::watch_for_close() {
  const auto self = this->shared_from_this();
  const auto [error] = co_await socket().async_wait(Tcp::socket::wait_read, kTold);
  if (error) co_return;
  char first = 0;
  if (recv(socket().native_handle(), &first, 1, MSG_PEEK | MSG_DONTWAIT) > 0) co_return;
  gone_ = true;
  wake_.cancel();
}

template <typename Stream>
asio::awaitable<bool> HttpConnection<Stream>::write(std::string text) {
  allow(of_seconds(hub_->options.request_timeout));
  const auto [error, bytes] = co_await asio::async_write(stream_, asio::buffer(text), kTold);
  allow_for_ever();
  if (error && late_) ++hub_->timed_out;
  co_return !error;
}

template <typename Stream>
asio::awaitable<bool> HttpConnection<Stream>::respond(api::Response response, bool keep_alive, bool head_only) {
  const bool old = parser_->get().version() == 10;
  std::string text = head_text(response, {.keep_alive = keep_alive, .http_1_0 = old, .now_s = now_s()});
  if (!head_only) text += std::exchange(response.body, {});  // a slow reader holds it once
  co_return co_await write(std::move(text)) && keep_alive;
}

/// Server-sent events until the client closes, the server stops, or the key is no longer good.
template <typename Stream>
asio::awaitable<void> HttpConnection<Stream>::follow(api::Response response, api::Request request) {
  if (hub_->streams >= std::max<int64_t>(1, hub_->options.max_connections / 2)) {
    co_await respond(refused(refusals::too_many_streams), false, false);
    co_return;
  }
  ++hub_->streams;
  response.content_type = "text/event-stream";
  response.headers.emplace_back("X-Accel-Buffering", "no");  // nginx holds events back otherwise
  std::string head = head_text(response, {.keep_alive = false, .endless = true, .now_s = now_s()});
  asio::co_spawn(hub_->io, watch(), asio::detached);
  if (co_await write(std::move(head) + ": \n\n")) {
    EventCursor cursor(std::move(*response.events));
    checked_ = std::chrono::steady_clock::now();
    request.is_checked_again = true;
    while (co_await stream_events(cursor, request)) {
    }
  }
  --hub_->streams;
}

/// Notices at once that the client closes the stream.
template <typename Stream>
asio::awaitable<void> HttpConnection<Stream>::watch() {
  const auto self = this->shared_from_this();
  std::array<char, 256> ignored = {};
  for (;;) {
    const auto [error, bytes] = co_await stream_.async_read_some(asio::buffer(ignored), kTold);
    if (error) break;
  }
  gone_ = true;
  wake_.cancel();
}

/// Sends the next events, or a comment where none came for a while. False where the stream is over.
template <typename Stream>
asio::awaitable<bool> HttpConnection<Stream>::stream_events(EventCursor& cursor, const api::Request& request) {
  if (gone_ || cut_ || hub_->stopping) co_return false;
  std::string text = cursor.next(hub_->events);
  if (text.empty()) {
    wake_.expires_after(hub_->stream_pace);
    const auto [woken] = co_await wake_.async_wait(kTold);
    if (!woken) text = ":\n\n";
  }
  if (gone_ || cut_ || hub_->stopping) co_return false;
  if (const auto now = std::chrono::steady_clock::now(); now - checked_ >= hub_->stream_pace) {
    checked_ = now;
    const api::Response again = co_await answer(request);
    if (!again.events || gone_ || cut_) co_return false;
  }
  if (text.empty()) co_return true;
  co_return co_await write(std::move(text));
}

/// What the client still sends is read and forgotten for a moment: closing at once would make the system throw away the
/// answer that the client has not read yet.
template <typename Stream>
asio::awaitable<void> HttpConnection<Stream>::close() {
  constexpr auto kGrace = std::chrono::seconds(2);
  constexpr auto kLastGrace = std::chrono::milliseconds(100);
  if (cut_ || gone_ || !socket().is_open()) co_return;
  allow(hub_->stopping ? Duration(kLastGrace) : Duration(kGrace));
  error_code ignored;
  if constexpr (kTls) {
    if (opened_) co_await stream_.async_shutdown(kTold);
    if (late_) co_return;
  }
  socket().shutdown(Tcp::socket::shutdown_send, ignored);
  std::array<char, 16384> rest = {};
  while (!late_ && !cut_) {
    const auto [error, bytes] = co_await socket().async_read_some(asio::buffer(rest), kTold);
    if (error) break;
  }
}

}  // namespace sonde::server
