#include "record/nvtx/payload_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text/utf8.h"
#include "exporters/files/json_output.h"

namespace sonde::record {
namespace {

enum class Form : uint8_t { none, number, unsigned_number, real, character, address, string };

/// A type that NVTX has itself, on 64-bit Linux.
struct Basic {
  Form form = Form::none;
  uint8_t bytes = 0;
};

/// C's integers, then those of fixed width: bytes of types from kFirstInteger on, each first with a sign, then without.
constexpr std::array<uint8_t, 8> kIntegerBytes = {2, 4, 8, 8, 1, 2, 4, 8};

/// NVTX's numbers (nvToolsExtPayload.h).
enum Type : uint64_t {
  kChar = 1,
  kUnsignedChar = 2,
  kFirstInteger = 3,
  kLastInteger = kFirstInteger + 2 * kIntegerBytes.size() - 1,
  kFloat = 19,
  kDouble = 20,
  kSize = 22,
  kAddress = 23,
  kWideChar = 24,
  kChar8 = 25,
  kChar16 = 26,
  kChar32 = 27,
  kByte = 32,
  kFloat32 = 43,
  kFloat64 = 44,
  kCategory = 68,
  kColor = 69,
  kScope = 70,
  kProcess32 = 71,
  kProcess64 = 72,
  kThread32 = 73,
  kThread64 = 74,
  kText = 75,
  kTextUtf8 = 76,
  kRegisteredString = 80,
};

Basic integer_of(uint64_t type) {
  const uint64_t place = type - kFirstInteger;
  return {place % 2 == 0 ? Form::number : Form::unsigned_number, kIntegerBytes[place / 2]};
}

Basic basic_of(uint64_t type) {
  if (type >= kFirstInteger && type <= kLastInteger) return integer_of(type);
  switch (type) {
    case kChar:
    case kChar8: return {Form::character, 1};
    case kUnsignedChar:
    case kByte: return {Form::unsigned_number, 1};
    case kChar16: return {Form::unsigned_number, 2};
    case kFloat:
    case kFloat32: return {Form::real, 4};
    case kDouble:
    case kFloat64: return {Form::real, 8};
    case kAddress: return {Form::address, 8};
    case kWideChar:
    case kChar32:
    case kCategory:
    case kColor:
    case kProcess32:
    case kThread32: return {Form::unsigned_number, 4};
    case kSize:
    case kScope:
    case kProcess64:
    case kThread64: return {Form::unsigned_number, 8};
    case kRegisteredString: return {Form::string, 8};
    default: return {};
  }
}

enum SchemaType : uint64_t { kStatic = 1, kDynamic = 2 };
enum EntryFlag : uint64_t { kPointer = 1U << 1U, kFromBase = 1U << 2U, kFromHere = 1U << 3U, kMessage = 1U << 10U };
enum class Array : uint8_t { no, fixed, zero_terminated, length_in_entry, other };

Array array_of(const PayloadEntry& entry) {
  constexpr unsigned kShift = 4;
  constexpr uint64_t kMask = 7;
  const uint64_t found = (entry.flags >> kShift) & kMask;
  return found < static_cast<uint64_t>(Array::other) ? static_cast<Array>(found) : Array::other;
}

bool is_text(uint64_t type) { return type == kText || type == kTextUtf8; }

/// What no program's own schema needs.
constexpr int kMostDepth = 8;
constexpr int kMaxLooks = 10'000;
constexpr size_t kMaxJson = size_t{1} << 16U;

struct Layout {
  size_t bytes;
  size_t align;
};

/// Reads one payload. Functions that give false have met what they cannot read.
class PayloadReader {
 public:
  PayloadReader(std::span<const std::byte> bytes, const PayloadContext& context) : bytes_(bytes), context_(context) {}

  bool read(uint64_t type, PayloadText& text) {
    size_t at = 0;
    const bool read =
        is_text(type) ? read_characters(bytes_.size(), at, text.json) : read_value(type, at, text.json, 0);
    if (read) text.message = std::move(message_);
    return read;
  }

 private:
  std::optional<Layout> layout_of(uint64_t type, int depth) const;
  std::optional<Layout> layout_of(const PayloadEntry& entry, int depth) const;

  bool read_value(uint64_t type, size_t& at, std::string& json, int depth);
  bool read_basic(Basic basic, size_t& at, std::string& json);
  bool read_enum(const PayloadSchema& schema, size_t& at, std::string& json);
  bool read_schema(const PayloadSchema& schema, size_t& at, std::string& json, int depth);
  bool read_entry(const PayloadSchema& schema, const PayloadEntry& entry, size_t& at, std::string& json, int depth);
  bool read_array(const PayloadEntry& entry, uint64_t count, size_t& at, std::string& json, int depth);
  /// `count` bytes, of which those up to the first zero are the text.
  bool read_characters(uint64_t count, size_t& at, std::string& json);
  bool take(size_t bytes, size_t& at, uint64_t& bits) const;
  /// Where an entry begins that stands behind `at`.
  bool place(const PayloadSchema& schema, const PayloadEntry& entry, size_t base, size_t& at, int depth) const;

  std::span<const std::byte> bytes_;
  const PayloadContext& context_;
  std::string text_;  ///< the one that was read last
  std::optional<std::string> message_;
  mutable int looks_ = 0;          ///< at schemas and entries, for their layouts
  std::vector<uint64_t> lengths_;  ///< values of the entries of the schema so far; those that are no numbers are 0
};

size_t aligned(size_t at, size_t align) { return align == 0 ? at : (at + align - 1) / align * align; }

int64_t sign_extended(uint64_t bits, size_t bytes) {
  constexpr size_t kBits = 64;
  const size_t unused = kBits - bytes * 8;
  return static_cast<int64_t>(bits << unused) >> unused;
}

std::string real_text(uint64_t bits, size_t bytes) {
  const double value =
      bytes == sizeof(float) ? double{std::bit_cast<float>(static_cast<uint32_t>(bits))} : std::bit_cast<double>(bits);
  if (!std::isfinite(value)) return fmt::format("\"{}\"", value);
  return bytes == sizeof(float) ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
}

std::string in_quotes(std::string_view text) { return fmt::format("\"{}\"", json_escape(text)); }

bool PayloadReader::take(size_t bytes, size_t& at, uint64_t& bits) const {
  if (bytes == 0 || bytes > sizeof bits || at > bytes_.size() || bytes > bytes_.size() - at) return false;
  bits = 0;
  std::memcpy(&bits, bytes_.data() + at, bytes);
  at += bytes;
  return true;
}

bool PayloadReader::read_basic(Basic basic, size_t& at, std::string& json) {
  uint64_t bits = 0;
  if (basic.form == Form::none || !take(basic.bytes, at, bits)) return false;
  if (!lengths_.empty()) lengths_.back() = bits;
  switch (basic.form) {
    case Form::real: json += real_text(bits, basic.bytes); break;
    case Form::address: json += fmt::format("\"{:#x}\"", bits); break;
    case Form::character:
    case Form::number: json += fmt::format("{}", sign_extended(bits, basic.bytes)); break;
    case Form::string:
      text_ = context_.string(bits);
      json += in_quotes(text_);
      break;
    default: json += fmt::format("{}", bits); break;
  }
  return true;
}

bool PayloadReader::read_enum(const PayloadSchema& schema, size_t& at, std::string& json) {
  uint64_t bits = 0;
  if (!take(schema.bytes, at, bits)) return false;
  std::string names;
  for (const PayloadEntry& entry : schema.entries) {
    if (entry.flags != 0 ? entry.type != 0 && (bits & entry.type) == entry.type : bits == entry.type) {
      names += (names.empty() ? "" : "|") + entry.name;
    }
  }
  json += names.empty() ? fmt::format("{}", bits) : in_quotes(names);
  return true;
}

std::optional<Layout> PayloadReader::layout_of(uint64_t type, int depth) const {
  if (const Basic basic = basic_of(type); basic.form != Form::none) return Layout{basic.bytes, basic.bytes};
  const PayloadSchema* const schema = depth < kMostDepth ? context_.schema(type) : nullptr;
  if (schema == nullptr || ++looks_ > kMaxLooks) return {};
  if (schema->is_enum) return Layout{schema->bytes, schema->bytes};
  Layout whole{schema->bytes, 1};
  for (const PayloadEntry& entry : schema->entries) {
    const auto one = layout_of(entry, depth + 1);
    if (!one) return {};
    whole.align = std::max(whole.align, one->align);
  }
  if (schema->align != 0) whole.align = std::min(whole.align, size_t{schema->align});
  return whole;
}

std::optional<Layout> PayloadReader::layout_of(const PayloadEntry& entry, int depth) const {
  if ((entry.flags & kPointer) != 0) return Layout{sizeof(void*), sizeof(void*)};
  if (is_text(entry.type)) return Layout{1, 1};
  return layout_of(entry.type, depth);
}

bool PayloadReader::place(const PayloadSchema& schema, const PayloadEntry& entry, size_t base, size_t& at,
                          int depth) const {
  if (entry.offset != 0) {
    at = base + entry.offset;
    return entry.offset <= bytes_.size();
  }
  const auto layout = layout_of(entry, depth);
  if (!layout) return false;
  const size_t align = schema.align == 0 ? layout->align : std::min(layout->align, size_t{schema.align});
  at = base + aligned(at - base, align);
  return true;
}

bool PayloadReader::read_characters(uint64_t count, size_t& at, std::string& json) {
  if (at > bytes_.size() || count > bytes_.size() - at) return false;
  const std::string_view all(reinterpret_cast<const char*>(bytes_.data()) + at, count);
  text_ = valid_utf8(all.substr(0, all.find('\0')));
  json += in_quotes(text_);
  at += count;
  return true;
}

bool PayloadReader::read_array(const PayloadEntry& entry, uint64_t count, size_t& at, std::string& json, int depth) {
  if (is_text(entry.type) || basic_of(entry.type).form == Form::character) return read_characters(count, at, json);
  if (count > bytes_.size()) return false;
  json += '[';
  for (uint64_t i = 0; i < count; ++i) {
    if (i > 0) json += ',';
    if (!read_value(entry.type, at, json, depth)) return false;
  }
  json += ']';
  return true;
}

bool PayloadReader::read_entry(const PayloadSchema& schema, const PayloadEntry& entry, size_t& at, std::string& json,
                               int depth) {
  if ((entry.flags & (kFromBase | kFromHere)) != 0) return false;
  if ((entry.flags & kPointer) != 0) return read_basic({Form::address, sizeof(void*)}, at, json);
  const bool text = is_text(entry.type);
  switch (array_of(entry)) {
    case Array::no:
      if (!text) return read_value(entry.type, at, json, depth);
      return entry.detail > 0 && read_characters(entry.detail, at, json);
    case Array::fixed: return read_array(entry, entry.detail, at, json, depth);
    case Array::zero_terminated: {
      if (!text || entry.detail > 0 || at > bytes_.size()) return false;
      const auto end = std::find(bytes_.begin() + static_cast<std::ptrdiff_t>(at), bytes_.end(), std::byte{0});
      const auto length = static_cast<size_t>(end - bytes_.begin()) - at;
      return end != bytes_.end() && read_characters(length + 1, at, json);
    }
    case Array::length_in_entry:
      return schema.type == kDynamic && entry.detail + 1 < lengths_.size() &&
             read_array(entry, lengths_[entry.detail], at, json, depth);
    default: return false;
  }
}

bool PayloadReader::read_schema(const PayloadSchema& schema, size_t& at, std::string& json, int depth) {
  if (schema.type != kStatic && schema.type != kDynamic) return false;
  const size_t base = at;
  const std::vector<uint64_t> outer = std::exchange(lengths_, {});
  json += '{';
  for (size_t i = 0; i < schema.entries.size(); ++i) {
    const PayloadEntry& entry = schema.entries[i];
    lengths_.push_back(0);
    json += fmt::format("{}{}:", i == 0 ? "" : ",", in_quotes(entry.name.empty() ? fmt::format("{}", i) : entry.name));
    if (!place(schema, entry, base, at, depth) || !read_entry(schema, entry, at, json, depth)) return false;
    if ((entry.flags & kMessage) != 0) message_ = text_;
  }
  json += '}';
  lengths_ = outer;
  at = std::max(at, base + schema.bytes);
  return at <= bytes_.size();
}

bool PayloadReader::read_value(uint64_t type, size_t& at, std::string& json, int depth) {
  if (json.size() > kMaxJson) return false;
  if (const Basic basic = basic_of(type); basic.form != Form::none) return read_basic(basic, at, json);
  const PayloadSchema* const schema = depth < kMostDepth ? context_.schema(type) : nullptr;
  if (schema == nullptr) return false;
  if (schema->is_enum) return read_enum(*schema, at, json);
  const size_t begin = at;
  if (!read_schema(*schema, at, json, depth + 1)) return false;
  if (schema->type != kStatic || schema->bytes != 0) return true;
  // Whose size is unknown has it by its members, as in C; of the last one the end may be missing.
  const auto layout = layout_of(type, depth);
  if (layout) at = std::min(begin + aligned(at - begin, layout->align), bytes_.size());
  return true;
}

}  // namespace

std::optional<PayloadText> read_payload(uint64_t schema, std::span<const std::byte> bytes,
                                        const PayloadContext& context) {
  PayloadText text;
  if (!PayloadReader(bytes, context).read(schema, text)) return {};
  return text;
}

}  // namespace sonde::record
