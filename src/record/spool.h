#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

/// What was recorded, on disk until the profile is made of it: slices of chunks as they were when they were copied.
namespace sonde::record {

/// Before each slice in the file.
struct SliceHead {
  uint32_t process;
  uint32_t thread;
  uint32_t bytes;
  uint32_t mark;  ///< what it holds: one of those below
};
inline constexpr uint32_t kSliceMark = 0x43494C53;     // "SLIC": records of wire/record.h
inline constexpr uint32_t kCpuSliceMark = 0x53555043;  // "CPUS": records of cpu/perf_records.h, of many threads

/// Writes behind a file, and stops at the first failure: what was written before stays whole.
class SpoolWriter {
 public:
  [[nodiscard]] static Result<SpoolWriter> create(const std::string& path);
  SpoolWriter(SpoolWriter&& other) noexcept;
  SpoolWriter& operator=(SpoolWriter&&) = delete;
  SpoolWriter(const SpoolWriter&) = delete;
  SpoolWriter& operator=(const SpoolWriter&) = delete;
  ~SpoolWriter();

  void add(uint32_t process, uint32_t thread, std::span<const std::byte> records, uint32_t mark = kSliceMark);
  /// Everything added before is in the file, or counted as lost.
  void flush();

  [[nodiscard]] int64_t bytes() const { return written_; }
  [[nodiscard]] int64_t lost_bytes() const { return lost_; }
  /// The system's error of the first write that failed, 0 for none.
  [[nodiscard]] int error() const { return error_; }

 private:
  explicit SpoolWriter(int file) : file_(file) {}
  int file_;
  int error_ = 0;
  int64_t written_ = 0;
  int64_t lost_ = 0;
  std::vector<std::byte> pending_;
};

struct Slice {
  uint32_t process;
  uint32_t thread;
  std::span<const std::byte> records;
  uint32_t mark = kSliceMark;
};

/// The slices of a spool's bytes, one behind the other. Any bytes may come: the first that is none ends the reading.
class SpoolReader {
 public:
  explicit SpoolReader(std::span<const std::byte> bytes) : rest_(bytes) {}
  [[nodiscard]] std::optional<Slice> next();
  /// Bytes that were not read.
  [[nodiscard]] size_t left() const { return rest_.size(); }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace sonde::record
