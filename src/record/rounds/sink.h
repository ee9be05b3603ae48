#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace sonde::record {

inline constexpr uint32_t kSliceMark = 0x43494C53;             // "SLIC": records of wire/record.h
inline constexpr uint32_t kCpuSliceMark = 0x53555043;          // "CPUS": records of cpu/perf_records.h, of many threads
inline constexpr uint32_t kPythonSampleMark = 0x4D535950;      // "PYSM": records of python/records.h, of many threads
inline constexpr uint32_t kPythonDefinitionMark = 0x46445950;  // "PYDF": the same, that every profile needs

/// Records of one thread, in the order in which it wrote them, or of the CPU's or Python's part.
struct Slice {
  uint32_t process;
  uint32_t thread;
  std::span<const std::byte> records;
  uint32_t mark = kSliceMark;  ///< what it holds: one of those above
};

/// Where what was recorded goes.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  virtual void add(const Slice& slice) = 0;
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
  /// The program has ended: hands on what it held back, too.
  virtual void finish() {}
  /// How long it surely keeps what comes.
  [[nodiscard]] virtual int64_t patience_ns() const { return std::numeric_limits<int64_t>::max(); }
  /// Places so far in which it met what nobody of ours writes.
  [[nodiscard]] virtual int64_t damaged() const { return 0; }
};

}  // namespace sonde::record
