#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace sonde::wire {

/// What is still to be read of a record. What is taken is checked against the end first; nothing is taken where it does
/// not fit.
class Bytes {
 public:
  explicit Bytes(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <typename T>
  [[nodiscard]] bool take(T& value) {
    if (rest_.size() < sizeof value) return false;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_ = rest_.subspan(sizeof value);
    return true;
  }

  [[nodiscard]] bool take(uint64_t count, std::span<const std::byte>& bytes) {
    if (count > rest_.size()) return false;
    bytes = rest_.first(count);
    rest_ = rest_.subspan(count);
    return true;
  }

  /// From the end.
  template <typename T>
  [[nodiscard]] bool take_last(T& value) {
    if (rest_.size() < sizeof value) return false;
    std::memcpy(&value, rest_.last(sizeof value).data(), sizeof value);
    rest_ = rest_.first(rest_.size() - sizeof value);
    return true;
  }

  [[nodiscard]] bool empty() const { return rest_.empty(); }
  [[nodiscard]] std::span<const std::byte> rest() const { return rest_; }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace sonde::wire
