#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sonde::record {

/// Where what was recorded goes: records of one thread, in the order in which it wrote them.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  virtual void add(uint32_t process, uint32_t thread, std::span<const std::byte> records) = 0;
  /// Everything added before is on its way to the disk, or counted as lost.
  virtual void flush() = 0;
};

/// Where it comes from. The recorder asks each in turn, every 10 to 50 ms.
class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  /// Hands all that is new to its sink. Gives the bytes that it took.
  virtual int64_t sweep() = 0;
  /// Places so far in which it met what nobody of ours writes.
  [[nodiscard]] virtual int64_t damaged() const { return 0; }
};

}  // namespace sonde::record
