#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "record/rounds/sink.h"

/// What was recorded, on disk until the profile is made of it: slices of chunks as they were when they were copied.
namespace sonde::record {

/// Before each slice in the file.
struct SliceHead {
  uint32_t process;
  uint32_t thread;
  uint32_t bytes;
  uint32_t mark;  ///< as the slice's
};

/// The beginning of the file: what a profile needs that is not in the slices.
struct SpoolHead {
  uint64_t magic;         ///< kSpoolMagic
  uint32_t wire_version;  ///< of the records
  uint32_t wanted;        ///< of wire::Wanted
  int64_t begin_ns;       ///< CLOCK_MONOTONIC
  int64_t utc_begin_ns;
  int64_t os_threshold_ns;
};
inline constexpr uint64_t kSpoolMagic = 0x31'4C'4F'4F'50'53'4E'53;  // "SNSPOOL1"

/// What became of the slices.
struct SpoolState {
  int64_t bytes = 0;  ///< in the file
  int64_t lost_bytes = 0;
  int error = 0;  ///< the system's, of the first write that failed; 0 for none
};

/// Writes behind a file, and stops at the first failure: what was written before stays whole.
class SpoolWriter : public Sink {
 public:
  /// The error is the system's reason, without the file's name, which nobody has typed.
  /// The file stays locked (flock) while this process has it, so that others know of a recording that still continues.
  [[nodiscard]] static Result<SpoolWriter> create(const std::string& path, const SpoolHead& head);
  SpoolWriter(SpoolWriter&& other) noexcept;
  SpoolWriter& operator=(SpoolWriter&&) = delete;
  SpoolWriter(const SpoolWriter&) = delete;
  SpoolWriter& operator=(const SpoolWriter&) = delete;
  ~SpoolWriter() override;

  void add(const Slice& slice) override;
  /// Everything added before is in the file, or counted as lost.
  void flush() override;

  [[nodiscard]] SpoolState state() const { return {written_ - static_cast<int64_t>(sizeof(SpoolHead)), lost_, error_}; }

 private:
  explicit SpoolWriter(int file) : file_(file) {}
  int file_;
  int error_ = 0;
  int64_t written_ = 0;
  int64_t lost_ = 0;
  std::vector<std::byte> pending_;
};

/// What a spool's bytes begin with, and the slices behind it. Bytes that are no spool of this version are an error.
struct SpoolContent {
  SpoolHead head;
  std::span<const std::byte> slices;
};
[[nodiscard]] Result<SpoolContent> spool_content(std::span<const std::byte> bytes);

/// How a spool is called beside the profile that is to be made of it.
inline constexpr std::string_view kSpoolEnding = ".recording";

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
