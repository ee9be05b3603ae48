#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace sonde {

[[nodiscard]] bool is_zstd(std::string_view bytes);

/// Unpacks all frames of a zstd file. Fails where they are damaged, break off, or unpack to more than `most` bytes; the
/// size that a frame states is not looked at.
[[nodiscard]] Result<std::string> unzstd(std::string_view bytes, size_t most);

/// What a zstd file holds; with `whole` false, what could be had of one that is damaged, breaks off or unpacks to more
/// than was allowed.
struct UnpackedZstd {
  std::string text;
  bool whole = false;
};
[[nodiscard]] UnpackedZstd unzstd_as_far_as_possible(std::string_view bytes, size_t most);

/// The first unpacked bytes, at most `count`, of a file of which perhaps only the beginning is there.
[[nodiscard]] std::string unzstd_head(std::string_view bytes, size_t count);

}  // namespace sonde
