#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sonde {

/// A file in an archive.
struct ArchiveMember {
  /// How its bytes are packed. `other`: a way that Sonde cannot undo, encryption among them.
  enum class Packing : uint8_t { none, deflate, zstd, other };
  std::string name;
  std::string_view bytes;  ///< as they are in the archive
  Packing packing = Packing::none;
  uint64_t plain_bytes = 0;  ///< unpacked
};

}  // namespace sonde
