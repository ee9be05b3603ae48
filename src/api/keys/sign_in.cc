#include "api/keys/sign_in.h"
#include "base/time_units.h"

#include <algorithm>

#include <fmt/format.h>

namespace sonde::api {
namespace {

/// Wrong keys of one address: a person who mistypes is never stopped, a program that guesses fills no log.
constexpr double kWrongKeysAtOnce = 20;
constexpr double kWrongKeysPerSecond = 0.2;
/// No key is longer; nothing longer is hashed.
constexpr size_t kLongestSecret = 256;

constexpr std::string_view kScheme = "bearer ";

bool is_bearer(std::string_view header) {
  return header.size() > kScheme.size() &&
         std::ranges::equal(header.substr(0, kScheme.size()), kScheme,
                            [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

std::string_view trimmed(std::string_view text) {
  const size_t first = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

Response after(Response refusal, int64_t seconds) {
  refusal.headers.emplace_back("Retry-After", std::to_string(seconds));
  return refusal;
}

}  // namespace

Answered<Caller> SignIn::caller(const Request& request, const Route& route, Role role) {
  if (role == Role::none) return Caller{};
  auto key = key_of(request, role);
  if (!key) return std::unexpected(std::move(key).error());
  if (!request.is_checked_again) {
    if (auto counted = count(*key); !counted) return std::unexpected(std::move(counted).error());
  }
  if (key->role < role) {
    return std::unexpected(
        refuse("role_too_low", {{"call", fmt::format("{} {}", method_name(route.method), route.path)},
                                {"role", role_name(role)},
                                {"name", key->name},
                                {"has", role_name(key->role)}}));
  }
  return Caller{.name = key->name, .role = key->role};
}

Answered<Key> SignIn::key_of(const Request& request, Role role) {
  const auto header = request.headers.find("authorization");
  if (header == request.headers.end()) return std::unexpected(refuse("no_key", {{"role", role_name(role)}}));
  if (!is_bearer(header->second)) return std::unexpected(refuse("wrong_scheme"));
  const std::string_view secret = trimmed(std::string_view(header->second).substr(kScheme.size()));
  std::optional<Key> key;
  if (secret.size() <= kLongestSecret) key = services_.keys->check(secret, services_.now_ns() / kNsPerSecond);
  if (key) return *std::move(key);
  if (!services_.keys->trouble().empty()) return std::unexpected(after(refuse("keys_unreadable"), 10));
  return std::unexpected(wrong_key(request.remote_address));
}

Response SignIn::wrong_key(const std::string& address) {
  const auto wait_s = wrong_keys_.take(address, kWrongKeysPerSecond, kWrongKeysAtOnce, services_.now_ns());
  if (wait_s)
    return after(refuse("too_many_wrong_keys", {{"address", address}, {"seconds", std::to_string(*wait_s)}}), *wait_s);
  services_.log->warning("An invalid key was rejected", {{"remote", address}});
  return refuse("unknown_key");
}

Answered<void> SignIn::count(const Key& key) {
  const auto config = services_.config->current();
  const auto& limits = config->sonde.server;
  const auto wait_s =
      keys_.take(key.id, limits.requests_per_second, static_cast<double>(limits.burst), services_.now_ns());
  if (!wait_s) return {};
  return std::unexpected(after(refuse("too_many_requests", {{"name", key.name},
                                                            {"rate", fmt::format("{:g}", limits.requests_per_second)},
                                                            {"burst", std::to_string(limits.burst)},
                                                            {"seconds", std::to_string(*wait_s)}}),
                               *wait_s));
}

}  // namespace sonde::api
