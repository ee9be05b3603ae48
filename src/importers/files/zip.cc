#include "importers/files/zip.h"

#include <algorithm>
#include <memory>
#include <optional>

#include <libdeflate.h>

#include "importers/files/zstd.h"

/// ZIP by PKWARE's APPNOTE 6.3.10: 4.3.12 (central directory), 4.3.14 to 4.3.16 (its end, also in 64 bits).
namespace sonde {
namespace {

constexpr std::string_view kLocal = "PK\x03\x04";
constexpr std::string_view kCentral = "PK\x01\x02";
constexpr std::string_view kEnd = "PK\x05\x06";
constexpr std::string_view kEnd64 = "PK\x06\x06";
constexpr std::string_view kEnd64Place = "PK\x06\x07";
constexpr size_t kEndBytes = 22;
constexpr size_t kCentralBytes = 46;
constexpr size_t kLocalBytes = 30;
constexpr uint64_t kIn64Bits = 0xFFFFFFFF;

/// Little-endian; 0 behind the end of the bytes.
uint64_t number(std::string_view bytes, size_t at, size_t size) {
  if (at > bytes.size() || size > bytes.size() - at) return 0;
  uint64_t value = 0;
  for (size_t i = size; i > 0; --i) value = value << 8 | static_cast<uint8_t>(bytes[at + i - 1]);
  return value;
}

std::string_view from(std::string_view bytes, uint64_t at) {
  return at > bytes.size() ? std::string_view() : bytes.substr(at);
}

struct Directory {
  uint64_t entries = 0;
  uint64_t at = 0;
};

std::optional<Directory> find_directory(std::string_view bytes) {
  const size_t end = bytes.rfind(kEnd);
  if (end == std::string_view::npos || bytes.size() - end < kEndBytes) return std::nullopt;
  Directory directory{number(bytes, end + 10, 2), number(bytes, end + 16, 4)};
  constexpr size_t kPlaceBytes = 20;
  if (directory.at != kIn64Bits || end < kPlaceBytes) return directory;
  const std::string_view place = bytes.substr(end - kPlaceBytes);
  const std::string_view end64 = from(bytes, number(place, 8, 8));
  if (!place.starts_with(kEnd64Place) || !end64.starts_with(kEnd64)) return std::nullopt;
  return Directory{number(end64, 32, 8), number(end64, 48, 8)};
}

ArchiveMember::Packing packing_of(uint64_t method, uint64_t flags) {
  if ((flags & 1) != 0) return ArchiveMember::Packing::other;  // encrypted
  switch (method) {
    case 0: return ArchiveMember::Packing::none;
    case 8: return ArchiveMember::Packing::deflate;
    case 93: return ArchiveMember::Packing::zstd;
    default: return ArchiveMember::Packing::other;
  }
}

/// The sizes and the place of a member; those that do not fit into 32 bits are in the extra field of id 1, in this
/// order.
struct Extent {
  uint64_t plain, packed, at;
};

Extent extent_of(std::string_view entry, std::string_view extra) {
  Extent e{number(entry, 24, 4), number(entry, 20, 4), number(entry, 42, 4)};
  while (extra.size() >= 4) {
    const uint64_t size = number(extra, 2, 2);
    if (number(extra, 0, 2) == 1) {
      size_t next = 4;
      for (uint64_t* const value : {&e.plain, &e.packed, &e.at}) {
        if (*value == kIn64Bits) *value = number(extra, std::exchange(next, next + 8), 8);
      }
      return e;
    }
    extra = from(extra, 4 + size);
  }
  return e;
}

std::optional<std::string_view> content_of(std::string_view bytes, const Extent& e) {
  const std::string_view local = from(bytes, e.at);
  if (!local.starts_with(kLocal) || local.size() < kLocalBytes) return std::nullopt;
  const std::string_view content = from(local, kLocalBytes + number(local, 26, 2) + number(local, 28, 2));
  return e.packed <= content.size() ? std::optional(content.substr(0, e.packed)) : std::nullopt;
}

Result<std::string> inflate_member(const ArchiveMember& member) {
  // Deflate never does better (zlib's technical notes).
  constexpr uint64_t kBestRatio = 1032;
  if (member.plain_bytes / kBestRatio > member.bytes.size())
    return fail("has a member of an impossible size: {}", member.name);
  std::string plain(member.plain_bytes, '\0');
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> inflater(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (libdeflate_deflate_decompress(inflater.get(), member.bytes.data(), member.bytes.size(), plain.data(),
                                    plain.size(), nullptr) != LIBDEFLATE_SUCCESS) {
    return fail("has a damaged member: {}", member.name);
  }
  return plain;
}

}  // namespace

bool is_zip(std::string_view head) { return head.starts_with(kLocal); }

Result<std::vector<ArchiveMember>> read_zip(std::string_view bytes) {
  const auto directory = find_directory(bytes);
  if (!directory) return fail("is a ZIP archive without its directory; it may be truncated, so copy it again");
  std::vector<ArchiveMember> members;
  std::string_view rest = from(bytes, directory->at);
  for (uint64_t i = 0; i < directory->entries; ++i) {
    if (!rest.starts_with(kCentral) || rest.size() < kCentralBytes)
      return fail("is a ZIP archive with a damaged directory");
    const uint64_t name_bytes = number(rest, 28, 2);
    const uint64_t extra_bytes = number(rest, 30, 2);
    const std::string_view name = from(rest, kCentralBytes).substr(0, name_bytes);
    const Extent extent = extent_of(rest, from(rest, kCentralBytes + name_bytes).substr(0, extra_bytes));
    const auto content = content_of(bytes, extent);
    if (!content) return fail("is a ZIP archive with a damaged member: {}", name);
    if (!name.ends_with('/')) {
      members.push_back(
          {std::string(name), *content, packing_of(number(rest, 10, 2), number(rest, 8, 2)), extent.plain});
    }
    rest = from(rest, kCentralBytes + name_bytes + extra_bytes + number(rest, 32, 2));
  }
  return members;
}

Result<std::string> unpack(const ArchiveMember& member) {
  switch (member.packing) {
    case ArchiveMember::Packing::none: return std::string(member.bytes);
    case ArchiveMember::Packing::deflate: return inflate_member(member);
    case ArchiveMember::Packing::zstd: return unzstd(member.bytes, member.plain_bytes);
    case ArchiveMember::Packing::other: break;
  }
  return fail("has a member that is encrypted or packed in a way that Sonde cannot unpack: {}", member.name);
}

}  // namespace sonde
