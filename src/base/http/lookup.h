#pragma once

#include <netdb.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/http/beast.h"

namespace sonde::http {

using Endpoints = std::vector<Tcp::endpoint>;

/// The addresses of a name, found by a thread of its own: getaddrinfo() cannot be cancelled, so the thread may outlive
/// the exchange that asked.
struct Lookup {
  std::atomic<bool> is_done = false;
  int error = 0;  ///< of getaddrinfo()
  Endpoints endpoints;
};

inline void look_up(Lookup& lookup, const std::string& host, const std::string& port) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  lookup.error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    Tcp::endpoint& endpoint = lookup.endpoints.emplace_back();
    endpoint.resize(at->ai_addrlen);
    std::memcpy(endpoint.data(), at->ai_addr, at->ai_addrlen);
  }
  if (found != nullptr) freeaddrinfo(found);
  lookup.is_done = true;
}

/// An address needs no thread.
inline std::shared_ptr<Lookup> start_lookup(const std::string& host, const std::string& port) {
  auto lookup = std::make_shared<Lookup>();
  error_code is_name;
  static_cast<void>(asio::ip::make_address(host, is_name));
  if (is_name) {
    std::thread([lookup, host, port] { look_up(*lookup, host, port); }).detach();
  } else {
    look_up(*lookup, host, port);
  }
  return lookup;
}

}  // namespace sonde::http
