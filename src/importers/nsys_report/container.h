#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

/// The file format of Nsight Systems reports (.nsys-rep, .qdrep): a line of banner, sections back to back, a table of
/// sections, and an end mark. NVIDIA documents none of it. Each reader here gives an error that says, as the end of a
/// sentence, what it does not understand.
namespace sonde::nsys {

/// Where some bytes are packed: an LZ4 block without a frame.
struct PackedBlock {
  std::string_view packed;
  uint64_t plain_bytes = 0;
};

/// What the report says that it holds.
struct ReportCounts {
  uint64_t events = 0;
  uint64_t strings = 0;
  uint64_t threads = 0;
};

/// The pieces of a report, as views into its bytes.
struct ReportLayout {
  std::string version;  ///< of the tool, as the banner has it: 2024.5.1.113; "1" in files of 2022 and before
  std::string_view session;
  ReportCounts counts;
  std::vector<PackedBlock> blocks;  ///< of events
  PackedBlock strings;
  std::string_view threads;
  std::string_view target;
  std::vector<PackedBlock> extras;  ///< behind the target: the schemas of NVTX payloads, where ranges have some
  uint64_t unknown_bytes = 0;       ///< behind these
  std::string_view clocks;          ///< "Time Conversion Data"; empty before 2025.6
  std::string_view about;           ///< "UI Data"
};

inline constexpr std::string_view kReportBanner = "NVIDIA Tegra Profiler Report ";

[[nodiscard]] Result<ReportLayout> read_layout(std::string_view bytes);

/// Unpacks blocks one after the other into the same memory.
class Unpacker {
 public:
  /// The message in a block; valid until the next call. No memory is taken for a size that LZ4 cannot reach.
  [[nodiscard]] Result<std::string_view> unpack(const PackedBlock& block);

 private:
  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0;
};

}  // namespace sonde::nsys
