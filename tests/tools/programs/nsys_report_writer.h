#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "trace/trace.h"

/// Writes files with the layout of Nsight Systems reports, for tests and measurements. Their version shows that no
/// NVIDIA tool wrote them.
namespace sonde::test {

inline constexpr std::string_view kSyntheticVersion = "2025@5@1@121@sonde_test-0";

/// A report before anything is packed: each text is the bytes of a protobuf message.
struct PlainReport {
  std::string version{kSyntheticVersion};
  std::string codec = "lz4";
  std::string session;
  std::string counts;               ///< made from the numbers below when empty
  std::vector<std::string> blocks;  ///< of events
  std::string strings;
  std::string threads;
  std::string target;
  std::vector<std::string> extras;  ///< blocks behind the target
  std::string rest;                 ///< bytes behind these
  uint64_t events = 0;
  uint64_t texts = 0;
  uint64_t named_threads = 0;
};

/// The whole file. `marks`, where given, receives the offset of every border between its pieces.
[[nodiscard]] std::string pack_report(const PlainReport& report, std::vector<size_t>* marks = nullptr);

/// The pieces of a file, unpacked.
[[nodiscard]] Result<PlainReport> unpack_report(std::string_view bytes);

/// The events of a trace, sorted by time, in blocks of about `block_bytes`.
[[nodiscard]] PlainReport plain_report(const Trace& trace, size_t block_bytes = size_t{512} << 10);

/// An event of a type and a body field that nobody knows.
[[nodiscard]] std::string unknown_event(int64_t type);

}  // namespace sonde::test
