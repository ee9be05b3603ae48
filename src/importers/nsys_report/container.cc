#include "importers/nsys_report/container.h"

#include <lz4.h>

#include <algorithm>
#include <cstring>
#include <map>

#include <protozero/varint.hpp>

#include "base/files/protobuf.h"
#include "importers/nsys/fields.h"

namespace sonde::nsys {
namespace {

constexpr std::string_view kEndMark = "U3w[END]";
constexpr std::string_view kEventsMark = "QDTEXT00";
constexpr std::string_view kCodec = "lz4";

/// Bytes that are read from their beginning. Throws protozero's exceptions where they end too soon.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  [[nodiscard]] bool at_end() const { return at_ == end_; }
  [[nodiscard]] uint64_t left() const { return static_cast<uint64_t>(end_ - at_); }
  uint64_t varint() { return protozero::decode_varint(&at_, end_); }
  std::string_view take(uint64_t count) {
    if (count > static_cast<uint64_t>(end_ - at_)) throw protozero::end_of_buffer_exception();
    const std::string_view taken(at_, count);
    at_ += count;
    return taken;
  }
  /// A length and as many bytes.
  std::string_view message() { return take(varint()); }
  PackedBlock block() {
    const uint64_t packed_bytes = varint();
    const uint64_t plain_bytes = varint();
    return {take(packed_bytes), plain_bytes};
  }

 private:
  const char* at_;
  const char* end_;
};

using Sections = std::map<std::string_view, std::string_view>;

Result<std::string> version_in_banner(std::string_view bytes) {
  const size_t line = bytes.substr(0, 128).find('\n');
  if (!bytes.starts_with(kReportBanner) || line == std::string_view::npos || bytes[line - 1] != '.') {
    return fail("its first line is not a known banner");
  }
  std::string version(bytes.substr(kReportBanner.size(), line - 1 - kReportBanner.size()));
  version.resize(std::min(version.find('-'), version.size()));
  std::ranges::replace(version, '@', '.');
  return version;
}

Sections::value_type read_section(std::string_view bytes, Message entry) {
  std::string_view name;
  uint64_t offset = 0;
  uint64_t size = 0;
  while (entry.next()) {
    switch (entry.tag_and_type()) {
      case bytes_field(1): name = text_of(entry); break;
      case number_field(2): offset = entry.get_uint64(); break;
      case number_field(3): size = entry.get_uint64(); break;
      default: entry.skip();
    }
  }
  if (offset > bytes.size() || size > bytes.size() - offset) throw protozero::end_of_buffer_exception();
  return {name, bytes.substr(offset, size)};
}

/// The table of sections: its place stands before the end mark.
Result<Sections> read_sections(std::string_view bytes) {
  constexpr size_t kFooterBytes = 16;
  if (bytes.size() < kFooterBytes || !bytes.ends_with(kEndMark)) {
    return fail("it does not end with the end mark of a report; it may be truncated");
  }
  const std::string_view body = bytes.substr(0, bytes.size() - kFooterBytes);
  uint64_t place = 0;
  for (size_t i = 0; i < sizeof(place); ++i) place |= uint64_t{static_cast<uint8_t>(bytes[body.size() + i])} << (8 * i);
  if (place > body.size()) return fail("the offset of its section table is beyond the end of the file");
  Sections sections;
  SONDE_TRY(walk_messages("its section table", [&]() -> Status {
    Message table(body.data() + place, body.size() - place);
    while (table.next(1, protozero::pbf_wire_type::length_delimited)) {
      sections.insert(read_section(body, table.get_message()));
    }
    return {};
  }));
  return sections;
}

Status check_codec(std::string_view codec) {
  if (codec == kCodec) return {};
  return fail("its events are compressed with '{}'; Sonde supports only lz4", codec.substr(0, 32));
}

/// Where the string block begins, counted from behind the events' mark.
Result<uint64_t> place_of_strings(std::string_view section) {
  std::string_view codec;
  uint64_t place = 0;
  SONDE_TRY(walk_messages("its section 'Sampling Data Offsets'", [&]() -> Status {
    Message offsets = message_of(section);
    while (offsets.next()) {
      switch (offsets.tag_and_type()) {
        case bytes_field(1): codec = text_of(offsets); break;
        case number_field(2): place = offsets.get_uint64(); break;
        default: offsets.skip();
      }
    }
    return {};
  }));
  SONDE_TRY(check_codec(codec));
  return place;
}

Status read_counts(std::string_view message, ReportCounts& counts) {
  std::string_view codec;
  Message m = message_of(message);
  while (m.next()) {
    switch (m.tag_and_type()) {
      case number_field(1): counts.events = m.get_uint64(); break;
      case number_field(3): counts.strings = m.get_uint64(); break;
      case number_field(5): counts.threads = m.get_uint64(); break;
      case bytes_field(9): codec = text_of(m); break;
      default: m.skip();
    }
  }
  return check_codec(codec);
}

/// What stands behind the target. Nothing of it is needed, so that no form of it makes a report unreadable.
void read_extras(Cursor tail, ReportLayout& layout) {
  while (!tail.at_end()) {
    Cursor next = tail;
    const Status read = walk_messages("its end", [&]() -> Status {
      layout.extras.push_back(next.block());
      return {};
    });
    if (!read) {
      layout.unknown_bytes = tail.left();
      return;
    }
    tail = next;
  }
}

/// The section of events: two messages, blocks of events, the string block, two messages, and extras.
Status read_events_section(std::string_view section, uint64_t strings_at, ReportLayout& layout) {
  Cursor head(section);
  layout.session = head.message();
  SONDE_TRY(read_counts(head.message(), layout.counts));
  const auto rest = [&](const Cursor& cursor) { return Cursor(cursor).take(0).data() - section.data(); };
  const auto events_at = static_cast<uint64_t>(rest(head));
  if (strings_at < events_at || strings_at > section.size()) return fail("its string table is at an unexpected offset");
  Cursor events(section.substr(events_at, strings_at - events_at));
  while (!events.at_end()) layout.blocks.push_back(events.block());
  Cursor tail(section.substr(strings_at));
  layout.strings = tail.block();
  layout.threads = tail.message();
  layout.target = tail.message();
  read_extras(tail, layout);
  return {};
}

std::string_view section_or_empty(const Sections& sections, std::string_view name) {
  const auto found = sections.find(name);
  return found == sections.end() ? std::string_view() : found->second;
}

}  // namespace

Result<ReportLayout> read_layout(std::string_view bytes) {
  ReportLayout layout;
  auto version = version_in_banner(bytes);
  if (!version) return std::unexpected(version.error());
  layout.version = std::move(*version);
  const auto sections = read_sections(bytes);
  if (!sections) return std::unexpected(sections.error());
  std::string_view events = section_or_empty(*sections, "Raw Sampling Data");
  if (!events.starts_with(kEventsMark)) return fail("it has no known event section");
  events.remove_prefix(kEventsMark.size());
  const auto strings_at = place_of_strings(section_or_empty(*sections, "Sampling Data Offsets"));
  if (!strings_at) return std::unexpected(strings_at.error());
  SONDE_TRY(
      walk_messages("its event section", [&]() -> Status { return read_events_section(events, *strings_at, layout); }));
  layout.clocks = section_or_empty(*sections, "Time Conversion Data");
  layout.about = section_or_empty(*sections, "UI Data");
  return layout;
}

Result<std::string_view> Unpacker::unpack(const PackedBlock& block) {
  // An LZ4 block grows by 255 bytes for a byte at most (lz4_Block_format.md: a length continues for as long as its
  // bytes are 255), and its first sequence by 19 more.
  constexpr uint64_t kMaxGrowth = 255;
  constexpr uint64_t kFirstSequence = 64;
  if (block.packed.size() > LZ4_MAX_INPUT_SIZE || block.plain_bytes > LZ4_MAX_INPUT_SIZE ||
      block.plain_bytes > block.packed.size() * kMaxGrowth + kFirstSequence) {
    return fail("a block of {} bytes claims to decompress to {}", block.packed.size(), block.plain_bytes);
  }
  if (block.plain_bytes > capacity_) {
    buffer_ = std::make_unique_for_overwrite<char[]>(block.plain_bytes);
    capacity_ = block.plain_bytes;
  }
  const int unpacked = LZ4_decompress_safe(block.packed.data(), buffer_.get(), static_cast<int>(block.packed.size()),
                                           static_cast<int>(block.plain_bytes));
  if (unpacked < 0 || static_cast<uint64_t>(unpacked) != block.plain_bytes)
    return fail("a block cannot be decompressed");
  std::string_view message;
  SONDE_TRY(walk_messages("a block", [&]() -> Status {
    Cursor cursor({buffer_.get(), block.plain_bytes});
    message = cursor.message();
    return cursor.at_end() ? Status() : fail("a block has data after its message");
  }));
  return message;
}

}  // namespace sonde::nsys
