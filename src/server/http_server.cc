#include <cerrno>
#include <future>
#include <thread>

#include "config/text_form.h"
#include "server/connection.h"
#include "server/tls.h"

namespace sonde::server {

api::Method method_of(http::verb verb) {
  switch (verb) {
    case http::verb::head:  // the head of what GET answers
    case http::verb::get: return api::Method::get;
    case http::verb::post: return api::Method::post;
    case http::verb::put: return api::Method::put;
    case http::verb::patch: return api::Method::patch;
    case http::verb::delete_: return api::Method::del;
    case http::verb::options: return api::Method::options;
    default: return api::Method::other;
  }
}

std::string remote_address(const Tcp::socket& socket) {
  error_code error;
  const auto address = socket.remote_endpoint(error).address();
  if (error) return {};
  if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address.to_string();
  return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
}

bool asks_for_health(const std::string& path) {
  return path == "/api/v1/health" || path == "/api/v1/ready" || path == "/-/healthy" || path == "/-/ready";
}

namespace {

api::Response begun_or_500(Hub& hub, const std::function<api::Response()>& make,
                           const std::function<void(api::Response)>& done) {
  api::Response response;
  try {
    response = make();
    if (response.later) response.later(done);
  } catch (const std::exception& error) {
    hub.log.error("a response could not be created", {{"reason", error.what()}});
    response = refused(refusals::internal_error);
  }
  return response;
}

}  // namespace

api::Response answer_or_500(Hub& hub, const std::function<api::Response()>& make,
                            const std::function<void(api::Response)>& done) {
  return counted(hub, begun_or_500(hub, make, done));
}

void LaterTaker::operator()(api::Response response) const {
  const auto open = hub.lock();
  if (!open) return;
  if (response.later) {
    asio::post(open->pool, [taker = *this, open = open.get(), response = std::move(response)] {
      api::Response made = begun_or_500(*open, [&] { return response; }, taker);
      if (!made.later) taker(std::move(made));
    });
    return;
  }
  asio::post(open->io, [later = later, connection = connection, made = std::move(response)]() mutable {
    later->made = std::move(made);
    if (const auto self = connection.lock()) self->wake();
  });
}

api::Response counted(Hub& hub, api::Response response) {
  constexpr size_t kShort = 65536;
  // On the pool and not where it is sent: answers may be made faster than the one thread that sends comes round. One
  // that is made later is counted when that thread takes it: its connection may be gone by then.
  if (hub.answer_bytes > Hub::kMaxAnswerBytes && response.body.size() > kShort) response = refused(refusals::busy);
  hub.answer_bytes += response.body.size();
  return response;
}

namespace {

/// This many connections beyond the limit get a 503 response; further ones are closed immediately.
constexpr int64_t kRoomToRefuse = 64;

Result<Tcp::endpoint> endpoint_of(const config::Server& options) {
  error_code error;
  const std::string numeric = options.address == "localhost" ? "127.0.0.1" : options.address;
  const auto address = asio::ip::make_address(numeric, error);
  if (error) {
    return fail(
        "sonde.server.address is '{}', which is not a valid IP address; use 127.0.0.1 for this host only, 0.0.0.0 or "
        ":: for all",
        options.address);
  }
  return Tcp::endpoint(address, static_cast<uint16_t>(options.port));
}

Error cannot_listen(const config::Server& options, error_code error) {
  const auto where = fmt::format("{} port {}", options.address, options.port);
  if (error.value() == EADDRINUSE) {
    return {
        fmt::format("{} is in use by another program: `ss -ltnp 'sport = :{}'` shows it; choose another port with "
                    "sonde.server.port or --port",
                    where, options.port)};
  }
  if (error.value() == EACCES) {
    return {
        fmt::format("this user may not listen on {}: ports below 1024 need AmbientCapabilities=CAP_NET_BIND_SERVICE in "
                    "the unit; or use a port from 1024",
                    where)};
  }
  if (error.value() == EADDRNOTAVAIL) {
    return {fmt::format("this host does not have the address {}: `ip address` lists its addresses", options.address)};
  }
  return {fmt::format("cannot listen on {}: {}", where, error.message())};
}

std::string address_text(const Tcp::endpoint& endpoint) {
  const auto address = endpoint.address();
  return fmt::format(fmt::runtime(address.is_v6() ? "[{}]:{}" : "{}:{}"), address.to_string(), endpoint.port());
}

class HttpServer final : public Server {
 public:
  HttpServer(const config::Server& options, std::chrono::milliseconds stream_pace, Answer answer,
             monitor::EventLog& events, Log& log)
      : hub_(std::make_shared<Hub>(options, stream_pace, std::move(answer), events, log)) {}
  ~HttpServer() override {
    try {
      stop(std::chrono::milliseconds(0));
    } catch (const std::exception&) {  // out of memory, and nothing is left to do
    }
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  Status listen() {
    if (!hub_->options.tls.certificate.empty() || !hub_->options.tls.key.empty()) {
      if (const Status read = reload_certificate(); !read) return read;
    }
    const auto endpoint = endpoint_of(hub_->options);
    if (!endpoint) return std::unexpected(endpoint.error());
    error_code error = open_acceptor(*endpoint);
    if (error) return std::unexpected(cannot_listen(hub_->options, error));
    address_ = address_text(acceptor_.local_endpoint(error));
    begin();
    return {};
  }

  std::string address() const override { return address_; }

  Status reload_certificate() override {
    if (hub_->options.tls.certificate.empty() && hub_->options.tls.key.empty()) return {};
    auto context = tls_context(hub_->options.tls);
    if (!context) return std::unexpected(context.error());
    SSL_CTX_up_ref(context->get());
    auto made = std::make_shared<asio::ssl::context>(context->get());
    asio::post(hub_->io, [this, made] { tls_ = made; });
    return {};
  }

  ServerCounts counts() const override {
    return {.connections = hub_->connections,
            .accepted = hub_->accepted,
            .refused_connections = hub_->refused_connections,
            .requests = hub_->requests,
            .timed_out = hub_->timed_out};
  }

  bool alive(std::chrono::milliseconds timeout) override {
    auto came_round = std::make_shared<std::promise<void>>();
    auto future = came_round->get_future();
    asio::post(hub_->io, [came_round] { came_round->set_value(); });
    return future.wait_for(timeout) == std::future_status::ready;
  }

  void stop(std::chrono::milliseconds timeout) override {
    if (!thread_.joinable()) return;
    hub_->events.unsubscribe(subscription_);
    asio::post(hub_->io, [this] { begin_to_stop(); });
    wait_for_end(timeout);
    asio::post(hub_->io, [hub = hub_] { for_each(*hub, [](Connection& c) { c.cut(); }); });
    static_cast<void>(alive(kLastWait));  // nothing goes to the pool from here on
    hub_->pool.join();
    wait_for_end(kLastWait);
    asio::post(hub_->io, [this] { hub_->io.stop(); });
    thread_.join();
  }

 private:
  static constexpr std::chrono::milliseconds kLastWait{2000};

  error_code open_acceptor(const Tcp::endpoint& endpoint) {
    error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(Tcp::acceptor::reuse_address(true), error);
    if (!error && endpoint.address().is_v6()) acceptor_.set_option(asio::ip::v6_only(false), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    return error;
  }

  void begin() {
    asio::co_spawn(hub_->io, accept(), asio::detached);
    subscription_ = hub_->events.subscribe([this] {
      // A stream that begins meanwhile reads what is there.
      if (hub_->streams > 0 && !notified_.exchange(true)) asio::post(hub_->io, [this] { notify_streams(); });
    });
    thread_ = std::thread([this] { hub_->io.run(); });
  }

  /// A connection may end while it is notified; no other connection ends then.
  template <typename Call>
  static void for_each(Hub& hub, const Call& call) {
    for (auto at = hub.all.begin(); at != hub.all.end();) call(**at++);
  }

  void notify_streams() {
    notified_ = false;
    for_each(*hub_, [](Connection& c) { c.wake(); });
  }

  void begin_to_stop() {
    hub_->stopping = true;
    error_code ignored;
    acceptor_.close(ignored);
    for_each(*hub_, [](Connection& c) { c.wake(); });
  }

  void wait_for_end(std::chrono::milliseconds timeout) {
    constexpr auto kStep = std::chrono::milliseconds(2);
    const auto end = std::chrono::steady_clock::now() + timeout;
    while (hub_->connections > 0 && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(kStep);
  }

  asio::awaitable<void> accept() {
    constexpr auto kPause = std::chrono::milliseconds(100);
    asio::steady_timer pause(hub_->io);
    while (!hub_->stopping) {
      auto [error, socket] = co_await acceptor_.async_accept(kTold);
      if (error == asio::error::operation_aborted || error == asio::error::bad_descriptor) co_return;
      if (!error) {
        ++hub_->accepted;
        take(std::move(socket));
        continue;
      }
      log_accept_error(error);  // no file descriptors, mostly: they come back as connections end
      make_room();
      pause.expires_after(kPause);
      co_await pause.async_wait(kTold);
    }
  }

  void log_accept_error(error_code error) {
    constexpr auto kAgain = std::chrono::minutes(1);
    const auto now = std::chrono::steady_clock::now();
    if (accept_error_logged_ != std::chrono::steady_clock::time_point() && now - accept_error_logged_ < kAgain) return;
    accept_error_logged_ = now;
    hub_->log.error(
        "connections cannot be accepted; LimitNOFILE of the unit must be above sonde.server.max_connections",
        {{"reason", error.message()}});
  }

  /// Ends the connection that has waited longest for its next request.
  void make_room() {
    if (hub_->waiting.empty()) return;
    Connection* oldest = hub_->waiting.front();
    ++hub_->refused_connections;
    oldest->cut();
  }

  void take(Tcp::socket socket) {
    const int64_t max = hub_->options.max_connections;
    bool crowded = hub_->connections >= max;
    if (crowded && !hub_->waiting.empty()) {
      make_room();
      crowded = false;
    }
    if (hub_->connections >= max + kRoomToRefuse) {
      ++hub_->refused_connections;
      return;
    }
    error_code ignored;
    socket.set_option(Tcp::no_delay(true), ignored);
    socket.set_option(asio::socket_base::keep_alive(true), ignored);
    if (tls_) {
      start<TlsStream>(std::move(socket), crowded, *tls_);
    } else {
      start<Tcp::socket>(std::move(socket), crowded);
    }
  }

  template <typename Stream, typename... Tls>
  void start(Tcp::socket socket, bool crowded, Tls&... tls) {
    auto connection = std::make_shared<HttpConnection<Stream>>(hub_, std::move(socket), crowded, tls...);
    asio::co_spawn(hub_->io, [connection] { return connection->run(); }, asio::detached);
  }

  std::shared_ptr<Hub> hub_;
  /// The thread goes on until stop() ends it: what is handed to it is done, also when no connection is left.
  asio::executor_work_guard<asio::io_context::executor_type> work_{hub_->io.get_executor()};
  Tcp::acceptor acceptor_{hub_->io};
  std::shared_ptr<asio::ssl::context> tls_;
  std::string address_;
  std::thread thread_;
  std::atomic<bool> notified_ = false;
  int64_t subscription_ = 0;
  std::chrono::steady_clock::time_point accept_error_logged_;
};

}  // namespace

Result<std::unique_ptr<Server>> Server::start(const config::Server& options, Answer answer, monitor::EventLog& events,
                                              Log& log, std::chrono::milliseconds stream_pace) {
  if (const auto endpoint = endpoint_of(options); !endpoint) return std::unexpected(endpoint.error());
  const bool tls = !options.tls.certificate.empty() || !options.tls.key.empty();
  if (!tls && !options.allow_plain_http && !config::is_loopback_address(options.address)) {
    return fail(
        "other hosts could reach {} without encryption, which exposes keys: set a certificate and key in "
        "sonde.server.tls, or set sonde.server.allow_plain_http: true if a reverse proxy or the network protects it",
        options.address);
  }
  auto server = std::make_unique<HttpServer>(options, stream_pace, std::move(answer), events, log);
  SONDE_TRY(server->listen());
  return server;
}

}  // namespace sonde::server
