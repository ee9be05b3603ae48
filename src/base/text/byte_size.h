#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sonde {

inline constexpr double kBytesPerMegabyte = 1e6;

/// Bytes of "16GiB", "1.5 GiB", "500MB" or "17179869184". KiB, MiB, GiB, TiB are powers of 1024, KB, MB, GB, TB of
/// 1000; a lone G is either, so that it is nothing here, as are negative numbers, parts of a byte, and what leaves
/// int64.
[[nodiscard]] std::optional<int64_t> bytes_of_text(std::string_view text);

/// "16GiB", "1536MiB", "1000": in the largest unit of 1024 that says it exactly.
[[nodiscard]] std::string byte_size_text(int64_t bytes);

}  // namespace sonde
