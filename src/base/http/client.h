#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/http/message.h"

namespace sonde::http {

/// Requests over HTTP/1.1 and TLS. Certificates and their host names are verified. Redirects are not followed: what is
/// sent is for the named host only. Connections are kept for later requests to the same host. Proxies of the
/// environment are used (proxy.h). One thread, except where noted.
class Client {
 public:
  using Done = std::function<void(Outcome)>;

  /// `authorities`: file of certificates (PEM) that https servers are verified by; empty: tls.h's defaults.
  explicit Client(std::string authorities = {});
  ~Client();
  Client(Client&&) noexcept;
  Client& operator=(Client&&) = delete;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Blocks. `is_cancelled` is asked ten times a second.
  [[nodiscard]] Outcome exchange(Request request, const std::function<bool()>& is_cancelled);

  /// Many exchanges in one thread, which is that of run(). `done` is called once, from run().
  uint64_t start(Request request, Done done);
  /// `done` gets Failure::Kind::cancelled; nothing happens where the exchange is over.
  void cancel(uint64_t exchange);
  /// Calls what was posted and sends and reads until finish() was called and all exchanges are over.
  void run();
  /// Any thread: `call` is called from run().
  void post(std::function<void()> call);
  /// From run().
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sonde::http
