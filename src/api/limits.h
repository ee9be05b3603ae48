#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace sonde::api {

/// Token buckets by name. Thread-safe. Keeps `max_names` at most: full buckets go first, they say nothing, then the
/// one that was used longest ago.
class Limiter {
 public:
  explicit Limiter(size_t max_names) : max_names_(max_names) {}

  /// Takes one of `burst` tokens, which come back at `per_second`. Where there is none: seconds until there is, at
  /// least 1. A clock that goes back gives no tokens.
  [[nodiscard]] std::optional<int64_t> take(const std::string& name, double per_second, double burst, int64_t now_ns);
  [[nodiscard]] size_t size() const;

 private:
  struct Bucket {
    double tokens = 0;
    int64_t moment_ns = 0;
    int64_t full_ns = 0;  ///< when it will be full again
  };
  void make_room(int64_t now_ns);

  mutable std::mutex mutex_;
  size_t max_names_;
  std::map<std::string, Bucket> buckets_;
};

}  // namespace sonde::api
