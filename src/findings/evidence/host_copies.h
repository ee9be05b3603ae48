#pragma once

#include "trace/events.h"

/// Copies between host and GPU.
namespace sonde {

/// Host time of the call of an asynchronous copy: 3 to 6 us on current servers.
inline constexpr int64_t kCopyCallNs = 5'000;

[[nodiscard]] inline bool crosses_link(const Copies& copies, Row row) {
  const auto kind = static_cast<CopyKind>(copies.kind[row]);
  return kind == CopyKind::host_to_device || kind == CopyKind::device_to_host;
}

/// Whether either end of the copy lies in memory of this kind.
[[nodiscard]] inline bool touches(const Copies& copies, Row row, MemoryKind kind) {
  const auto number = static_cast<uint8_t>(kind);
  return copies.source[row] == number || copies.destination[row] == number;
}

}  // namespace sonde
