#pragma once

#include "api/api.h"
#include "api/limits.h"
#include "api/problems.h"

namespace sonde::api {

/// Who may do what, and how often.
class SignIn {
 public:
  explicit SignIn(const Services& services) : services_(services) {}
  /// The caller of a route that needs `role`, or why the call is refused: no key, a wrong one, too low a role, too many
  /// requests. A right key is let through however many wrong ones came from its address: others may share that.
  [[nodiscard]] Answered<Caller> caller(const Request& request, const Route& route, Role role);

 private:
  [[nodiscard]] Answered<Key> key_of(const Request& request, Role role);
  [[nodiscard]] Response wrong_key(const std::string& address);
  [[nodiscard]] Answered<void> count(const Key& key);

  const Services& services_;
  Limiter keys_{4096};
  Limiter wrong_keys_{4096};  ///< by address: 4096 of them are under a megabyte
};

}  // namespace sonde::api
