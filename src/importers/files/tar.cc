#include "importers/files/tar.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace sonde {
namespace {

/// The header of 512 bytes (POSIX.1-2017, pax, "ustar Interchange Format").
constexpr size_t kBlock = 512;
constexpr size_t kMarkAt = 257;
constexpr std::string_view kMark = "ustar";

std::string_view field(std::string_view header, size_t at, size_t size) {
  const std::string_view text = header.substr(at, size);
  return text.substr(0, text.find('\0'));
}

/// Octal digits, or GNU's binary form, whose first byte is 0x80.
std::optional<uint64_t> size_in(std::string_view header) {
  constexpr size_t kAt = 124;
  constexpr size_t kSize = 12;
  const std::string_view raw = header.substr(kAt, kSize);
  uint64_t size = 0;
  if (static_cast<uint8_t>(raw.front()) == 0x80) {
    for (const char c : raw.substr(4)) size = size << 8 | static_cast<uint8_t>(c);
    return size;
  }
  const std::string_view digits = field(header, kAt + std::min(raw.find_first_not_of(' '), kSize), kSize);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size, 8);
  return error == std::errc() ? std::optional(size) : std::nullopt;
}

std::string name_in(std::string_view header) {
  constexpr size_t kPrefixAt = 345;
  const std::string_view prefix = field(header, kPrefixAt, 155);
  const std::string name(field(header, 0, 100));
  return prefix.empty() ? name : std::string(prefix) + '/' + name;
}

/// The path in a POSIX extended header: lines "LENGTH path=NAME".
std::string path_in(std::string_view records) {
  constexpr std::string_view kKey = " path=";
  const size_t key = records.find(kKey);
  if (key == std::string_view::npos) return {};
  const std::string_view rest = records.substr(key + kKey.size());
  return std::string(rest.substr(0, rest.find('\n')));
}

}  // namespace

bool is_tar(std::string_view head) { return head.size() >= kBlock && head.substr(kMarkAt).starts_with(kMark); }

TarArchive read_tar(std::string_view bytes) {
  TarArchive archive;
  std::string long_name;
  while (bytes.size() >= kBlock) {
    const std::string_view header = bytes.substr(0, kBlock);
    archive.whole = header.find_first_not_of('\0') == std::string_view::npos;
    if (archive.whole) return archive;
    const auto size = size_in(header);
    if (!is_tar(header) || !size || *size > bytes.size() - kBlock) return archive;
    const std::string_view content = bytes.substr(kBlock, *size);
    switch (header[156]) {
      case 'L': long_name = field(content, 0, content.size()); break;
      case 'x': long_name = path_in(content); break;
      case '0':
      case '\0':
        archive.members.push_back(
            {long_name.empty() ? name_in(header) : long_name, content, ArchiveMember::Packing::none, *size});
        [[fallthrough]];
      default: long_name.clear();
    }
    const size_t padded = (*size + kBlock - 1) / kBlock * kBlock;
    bytes.remove_prefix(std::min(bytes.size(), kBlock + padded));
  }
  // Archives without the two empty blocks at the end exist.
  archive.whole = bytes.empty();
  return archive;
}

}  // namespace sonde
