#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/files/file.h"

/// The outer shape of an Nsight Compute report: a header, then blocks of a header and length-prefixed messages.
namespace sonde::ncu {

inline constexpr std::string_view kMagic{"NVR\0", 4};

/// One block: the message that heads it and the messages of its payload. Views into the report's bytes.
struct Block {
  std::string_view header;
  std::vector<std::string_view> sources;  ///< device code
  std::vector<std::string_view> results;  ///< one measured launch each
  size_t range_results = 0;
  size_t unknown = 0;  ///< messages that the header does not count
};

struct Container {
  std::vector<Block> blocks;
  std::optional<std::string> breaks_off;  ///< where the file ends too early, in words
};

/// The bytes of a report: a .ncu-rep as it lies on disk, a .ncu-repz unpacked. Neither the size that a compressed file
/// states nor the size of what comes out is trusted.
class ReportBytes {
 public:
  [[nodiscard]] static Result<ReportBytes> open(const std::string& path);
  [[nodiscard]] std::string_view bytes() const { return unpacked_.empty() ? file_.bytes() : unpacked_; }

 private:
  ReportBytes(MappedFile file, std::string unpacked) : file_(std::move(file)), unpacked_(std::move(unpacked)) {}
  MappedFile file_;
  std::string unpacked_;
};

/// Splits a report into its blocks. A file that breaks off gives the blocks that are whole. Fails where the first bytes
/// are not those of a report, or of a version that is not known.
[[nodiscard]] Result<Container> split_container(std::string_view bytes);

}  // namespace sonde::ncu
