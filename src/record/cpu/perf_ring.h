#pragma once

#include <cstddef>
#include <vector>

#include "base/error.h"

namespace sonde::record {

/// The ring buffer of one perf event: Linux writes records behind its head, this takes them and moves its tail.
class PerfRing {
 public:
  /// Owns the event. `bytes` is a power of two of pages; where the system allows less locked memory, half of it, down
  /// to kLeastBytes.
  [[nodiscard]] static Result<PerfRing> map(int event, size_t bytes);
  PerfRing(PerfRing&& other) noexcept;
  PerfRing& operator=(PerfRing&&) = delete;
  PerfRing(const PerfRing&) = delete;
  PerfRing& operator=(const PerfRing&) = delete;
  ~PerfRing();

  static constexpr size_t kLeastBytes = size_t{1} << 16U;

  /// Appends all that is there: whole records.
  void drain(std::vector<std::byte>& out);
  [[nodiscard]] int event() const { return event_; }
  [[nodiscard]] size_t bytes() const { return bytes_; }

 private:
  PerfRing(int event, std::byte* at, size_t bytes) : event_(event), at_(at), bytes_(bytes) {}
  int event_;
  std::byte* at_;
  size_t bytes_;
};

}  // namespace sonde::record
