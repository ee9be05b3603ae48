#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/http/beast.h"
#include "base/http/connection.h"
#include "base/http/lookup.h"
#include "base/http/message.h"
#include "base/http/route.h"
#include "base/http/tls.h"

namespace sonde::http {

/// What the exchanges of a client share.
struct Shared {
  asio::io_context context;
  IdleConnections idle;
  std::string authorities;
  std::shared_ptr<SSL_CTX> tls;  ///< made for the first https request
};

/// Attempts to connect to the addresses of a host, several at once (RFC 8305).
struct Race {
  std::list<Tcp::socket> sockets;
  size_t failed = 0;
  error_code error;  ///< of the last that failed
  Tcp::socket* winner = nullptr;
};

/// One request and its response.
class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(Shared& shared, Request request)
      : shared_(shared),
        request_(std::move(request)),
        deadline_(shared.context),
        connect_deadline_(shared.context),
        wake_(shared.context) {}

  asio::awaitable<Outcome> run() {
    const auto self = shared_from_this();
    end_after(deadline_, request_.timeout, "response");
    Outcome outcome = co_await answer();
    is_over_ = true;
    deadline_.cancel();
    if (!outcome && aborted_) co_return std::unexpected(*aborted_);
    co_return outcome;
  }

  /// run() ends soon, with the first `why`.
  void abort(Failure why) {
    if (is_over_ || aborted_) return;
    aborted_ = std::move(why);
    wake_.cancel();
    deadline_.cancel();
    connect_deadline_.cancel();
    if (connection_) connection_->close();
  }

 private:
  using Step = std::optional<Failure>;  ///< why it failed
  using Kind = Failure::Kind;
  using Parser = beast::http::response_parser<beast::http::buffer_body>;

  /// The state of sending, while the response may already arrive.
  struct Sending {
    bool is_done = false;
    error_code error;
  };

  void end_after(asio::steady_timer& timer, std::optional<std::chrono::milliseconds> limit, const char* what) {
    if (!limit) return;
    timer.expires_after(*limit);
    timer.async_wait([self = shared_from_this(), limit, what](error_code error) {
      const double seconds = std::chrono::duration<double>(*limit).count();
      if (!error) self->abort({Kind::timed_out, fmt::format("no {} within {:g} s", what, seconds)});
    });
  }

  /// RFC 9110, section 9.2.2.
  [[nodiscard]] bool may_send_again() const {
    static constexpr std::array<std::string_view, 4> kIdempotent = {"GET", "HEAD", "PUT", "DELETE"};
    return request_.is_repeatable || std::ranges::find(kIdempotent, request_.method) != kIdempotent.end();
  }

  asio::awaitable<Outcome> answer() {
    if (aborted_) co_return std::unexpected(*aborted_);
    auto route = route_of(request_);
    if (!route) co_return std::unexpected(route.error());
    route_ = std::move(*route);
    head_ = request_head(request_, route_);
    connection_ = shared_.idle.take(route_.name());
    if (connection_) {
      Outcome outcome = co_await transfer();
      // The server may just have closed it, or may have handled the request and then failed.
      if (outcome || got_some_ || aborted_ || !may_send_again()) co_return outcome;
    }
    const Step failure = co_await connect();
    if (failure) co_return std::unexpected(*failure);
    co_return co_await transfer();
  }

  asio::awaitable<Step> connect() {
    connection_ = std::make_shared<Connection>(shared_.context, route_.name());
    end_after(connect_deadline_, request_.connect_timeout, "connection");
    Step failure = co_await open_socket();
    if (!failure && route_.has_tls() && route_.proxy) failure = co_await open_tunnel();
    if (!failure && route_.has_tls()) failure = co_await start_tls();
    connect_deadline_.cancel();
    co_return failure;
  }

  asio::awaitable<Step> open_socket() {
    const std::string whose = route_.proxy ? "proxy: " : "";
    const auto lookup = start_lookup(route_.next_hop().host, route_.next_hop().port);
    co_await wait_for(*lookup);
    if (!lookup->is_done) co_return Failure{};  // aborted
    if (lookup->error != 0) co_return Failure{Kind::unreachable, whose + gai_strerror(lookup->error)};
    const error_code error = co_await connect_to_any(lookup->endpoints);
    if (error || aborted_) co_return Failure{Kind::unreachable, whose + error.message()};
    error_code ignored;
    connection_->socket.set_option(Tcp::no_delay(true), ignored);
    co_return std::nullopt;
  }

  /// Asks again after 1, 2, 4 ... 16 ms: the thread cannot know whether this still exists.
  asio::awaitable<void> wait_for(const Lookup& lookup) {
    constexpr std::chrono::milliseconds kMaxPause{16};
    for (std::chrono::milliseconds pause{1}; !lookup.is_done && !aborted_; pause = std::min(pause * 2, kMaxPause)) {
      wake_.expires_after(pause);
      co_await wake_.async_wait(kAsTuple);
    }
  }

  /// Tries the next address when the one before failed or has not answered for a while.
  asio::awaitable<error_code> connect_to_any(const Endpoints& endpoints) {
    constexpr std::chrono::milliseconds kHeadStart{250};  // RFC 8305, section 5
    const auto race = std::make_shared<Race>();
    race->error = asio::error::host_not_found;
    auto next = Clock::now();
    while (race->winner == nullptr && race->failed < endpoints.size() && !aborted_) {
      const size_t begun = race->sockets.size();
      if (begun < endpoints.size() && (race->failed == begun || Clock::now() >= next)) {
        try_address(race, endpoints[begun]);
        next = Clock::now() + kHeadStart;
      }
      wake_.expires_at(race->sockets.size() < endpoints.size() ? next : Clock::time_point::max());
      co_await wake_.async_wait(kAsTuple);
    }
    if (race->winner != nullptr) connection_->socket = std::move(*race->winner);
    error_code ignored;
    for (Tcp::socket& socket : race->sockets) socket.close(ignored);
    co_return race->winner != nullptr ? error_code() : race->error;
  }

  void try_address(const std::shared_ptr<Race>& race, const Tcp::endpoint& endpoint) {
    Tcp::socket& socket = race->sockets.emplace_back(shared_.context);
    socket.async_connect(endpoint, [self = shared_from_this(), race, &socket](error_code error) {
      if (error) {
        ++race->failed;
        race->error = error;
      } else if (race->winner == nullptr) {
        race->winner = &socket;
      }
      self->wake_.cancel();
    });
  }

  asio::awaitable<Step> open_tunnel() {
    const std::string head = tunnel_head(route_);
    co_await asio::async_write(connection_->socket, asio::buffer(head), kAsTuple);
    beast::flat_buffer buffer;
    beast::http::response_parser<beast::http::empty_body> parser;
    parser.skip(true);
    const auto [error, size] = co_await beast::http::async_read_header(connection_->socket, buffer, parser, kAsTuple);
    if (error) co_return Failure{Kind::unreachable, "proxy: " + failure_of(error).what};
    const unsigned status = parser.get().result_int();
    if (status / 100 == 2 && buffer.size() == 0) co_return std::nullopt;
    co_return Failure{Kind::unreachable, fmt::format("the proxy answered CONNECT with status {}", status)};
  }

  asio::awaitable<Step> start_tls() {
    if (!shared_.tls) {
      auto context = client_tls_context(shared_.authorities);
      if (!context) co_return Failure{Kind::untrusted, context.error().message};
      shared_.tls = std::move(*context);
    }
    SSL* const handle = new_tls_handle(shared_.tls.get(), route_.url.host);
    if (handle == nullptr) co_return Failure{.what = "the TLS connection cannot be initialized"};
    connection_->tls.emplace(connection_->socket, handle);
    const auto [error] = co_await connection_->tls->async_handshake(asio::ssl::stream_base::client, kAsTuple);
    if (!error) co_return std::nullopt;
    const std::string why = certificate_error(handle);
    if (!why.empty()) co_return Failure{Kind::untrusted, why};
    co_return Failure{.what = "TLS handshake: " + error.message()};
  }

  asio::awaitable<Outcome> transfer() {
    got_some_ = false;
    if (connection_->tls) co_return co_await transfer_by(*connection_->tls);
    co_return co_await transfer_by(connection_->socket);
  }

  template <typename Stream>
  asio::awaitable<Outcome> transfer_by(Stream& stream) {
    const auto sending = send(stream);
    std::optional<Parser> parser;
    error_code error = co_await read_head(stream, parser);
    Response response;
    if (!error) take_head(*parser, response);
    while (!error && !parser->is_done()) error = co_await read_part(stream, *parser, response);
    if (error || aborted_) {
      connection_->close();
      co_return std::unexpected(failure_of(error));
    }
    const bool is_usable = parser->keep_alive() && sending->is_done && !sending->error;
    if (is_usable && connection_->buffer.size() == 0) {
      shared_.idle.keep(std::move(connection_));
    } else {
      connection_->close();
    }
    co_return response;
  }

  /// Returns at once: a server may answer before it has read everything.
  template <typename Stream>
  std::shared_ptr<Sending> send(Stream& stream) {
    auto sending = std::make_shared<Sending>();
    const std::array parts = {asio::buffer(std::as_const(head_)), asio::buffer(std::as_const(body()))};
    asio::async_write(
        stream, parts,
        [sending, self = shared_from_this(), connection = connection_](error_code error, size_t /*sent*/) {
          sending->is_done = true;
          sending->error = error;
        });
    return sending;
  }

  [[nodiscard]] const std::string& body() const {
    static const std::string none;
    return request_.body ? *request_.body : none;
  }

  /// 100 Continue and others of its kind come before the response.
  template <typename Stream>
  asio::awaitable<error_code> read_head(Stream& stream, std::optional<Parser>& parser) {
    do {
      parser.emplace();
      parser->header_limit(kMaxHeadBytes);
      parser->body_limit(request_.max_body_bytes);
      parser->skip(request_.method == "HEAD");
      const auto [error, size] =
          co_await beast::http::async_read_header(stream, connection_->buffer, *parser, kAsTuple);
      got_some_ = got_some_ || parser->got_some();
      if (error) co_return error;
    } while (parser->get().result_int() / 100 == 1);
    co_return error_code();
  }

  static void take_head(const Parser& parser, Response& response) {
    response.status = static_cast<int>(parser.get().result_int());
    for (const auto& field : parser.get()) {
      std::string name(field.name_string());
      std::ranges::transform(name, name.begin(),
                             [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
      response.headers[name] = std::string(field.value());
    }
  }

  template <typename Stream>
  asio::awaitable<error_code> read_part(Stream& stream, Parser& parser, Response& response) {
    auto& body = parser.get().body();
    body.data = part_.data();
    body.size = part_.size();
    const auto [error, size] = co_await beast::http::async_read_some(stream, connection_->buffer, parser, kAsTuple);
    const std::string_view got(part_.data(), part_.size() - body.size);
    if (request_.take_body && !got.empty()) request_.take_body(got);
    if (!request_.take_body) response.body += got;
    co_return error == beast::http::error::need_buffer ? error_code() : error;
  }

  [[nodiscard]] Failure failure_of(error_code error) const {
    using enum beast::http::error;
    if (error == header_limit) return {.what = fmt::format("the head of the response exceeds {} bytes", kMaxHeadBytes)};
    if (error == body_limit) return {.what = fmt::format("the response exceeds {} bytes", request_.max_body_bytes)};
    const bool is_closed = error == end_of_stream || error == partial_message || error == asio::error::eof ||
                           error == asio::ssl::error::stream_truncated;
    if (is_closed) return {.what = "the server closed the connection before the response was complete"};
    if (error.category() == beast::http::make_error_code(end_of_stream).category()) {
      return {.what = fmt::format("malformed response: {}", error.message())};
    }
    return {.what = error.message()};
  }

  static constexpr uint32_t kMaxHeadBytes = 256U << 10;
  static constexpr size_t kPartBytes = 16384;

  Shared& shared_;
  Request request_;
  Route route_;
  std::string head_;
  std::shared_ptr<Connection> connection_;
  std::vector<char> part_ = std::vector<char>(kPartBytes);
  bool got_some_ = false;  ///< of a response on this connection
  bool is_over_ = false;
  std::optional<Failure> aborted_;
  asio::steady_timer deadline_;
  asio::steady_timer connect_deadline_;
  asio::steady_timer wake_;  ///< ends a wait for addresses or connections
};

}  // namespace sonde::http
