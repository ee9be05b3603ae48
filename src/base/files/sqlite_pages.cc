#include "base/files/sqlite_pages.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace sonde {
namespace {

constexpr size_t kHeaderBytes = 100;  ///< of the file, at the start of page 1
constexpr unsigned char kInterior = 5;
constexpr unsigned char kLeaf = 13;
constexpr size_t kInteriorHeader = 12;
constexpr size_t kLeafHeader = 8;

uint64_t big_endian(const unsigned char* bytes, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i) value = value << 8 | bytes[i];
  return value;
}

/// A number of 1 to 9 bytes, seven bits each, eight in the ninth. Moves `at` behind it; false at the end of the bytes.
bool take_varint(const unsigned char*& at, const unsigned char* end, uint64_t& value) {
  if (at < end && *at < 0x80) {
    value = *at++;
    return true;
  }
  value = 0;
  for (int i = 0; i < 8; ++i) {
    if (at >= end) return false;
    const unsigned char byte = *at++;
    value = value << 7 | (byte & 0x7FU);
    if (byte < 0x80) return true;
  }
  if (at >= end) return false;
  value = value << 8 | *at++;
  return true;
}

/// Bytes that a value of a serial type takes in the record's body.
uint64_t size_of(uint64_t type) {
  constexpr unsigned char kSizes[12] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
  return type < 12 ? kSizes[type] : (type - 12) / 2;
}

size_t hash_of(std::span<const unsigned char> bytes) {
  constexpr uint64_t kFactor = 0x9E3779B97F4A7C15;  // 2^64 by the golden ratio
  uint64_t hash = bytes.size();
  for (size_t i = 0; i < bytes.size(); i += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min(sizeof(word), bytes.size() - i));
    hash = (hash ^ word) * kFactor;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

SqliteRow::SqliteRow(std::span<const uint32_t> columns, std::optional<uint32_t> rowid_column)
    : wanted_(columns.size()), layouts_(kLayouts), cells_(kLayouts * columns.size()) {
  uint32_t last = 0;
  for (const uint32_t column : columns) last = std::max(last, column);
  position_of_column_.assign(columns.empty() ? 0 : last + 1, -1);
  for (size_t i = 0; i < columns.size(); ++i) {
    position_of_column_[columns[i]] = static_cast<int>(i);
    if (columns[i] == rowid_column) rowid_position_ = static_cast<int>(i);
  }
}

bool SqliteRow::decode(int64_t rowid, std::span<const unsigned char> record) {
  const unsigned char* at = record.data();
  uint64_t header = 0;
  if (!take_varint(at, record.data() + record.size(), header) || header > record.size()) return false;
  const auto before = std::min<size_t>(header, static_cast<size_t>(at - record.data()));
  const auto types = record.subspan(before, header - before);
  const size_t body_bytes = record.size() - header;
  const size_t number = hash_of(types) % kLayouts;
  const Layout& layout = layouts_[number];
  const bool known = layout.known && std::ranges::equal(layout.types, types);
  if (!known && !learn(number, types, body_bytes)) return false;
  if (layout.body_bytes > body_bytes) return false;
  first_cell_ = number * wanted_;
  body_ = record.data() + header;
  rowid_ = rowid;
  return true;
}

/// False when such a header has no room in a body of this length.
bool SqliteRow::learn(size_t layout, std::span<const unsigned char> types, uint64_t body_bytes) {
  Layout& learnt = layouts_[layout];
  learnt.known = false;
  const unsigned char* at = types.data();
  const unsigned char* const end = at + types.size();
  uint64_t offset = 0;
  for (const int position : position_of_column_) {
    uint64_t type = 0;
    // A row that is older than its last columns does not have them: they are null.
    if (at < end && !take_varint(at, end, type)) return false;
    const uint64_t size = size_of(type);
    if (size > body_bytes - offset) return false;
    if (position >= 0) cells_[layout * wanted_ + static_cast<size_t>(position)] = {type, offset};
    offset += size;
  }
  if (rowid_position_) cells_[layout * wanted_ + static_cast<size_t>(*rowid_position_)].type = kRowid;
  learnt.types.assign(types.begin(), types.end());
  learnt.body_bytes = offset;
  learnt.known = true;
  return true;
}

/// As SQLite makes an integer of it: at the ends of the range beyond them.
int64_t SqliteRow::cut_off(double value) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (value >= kLimit) return std::numeric_limits<int64_t>::max();
  return value > -kLimit ? static_cast<int64_t>(value) : std::numeric_limits<int64_t>::min();
}

double SqliteRow::real(int position) const {
  const Cell& at = cell(position);
  if (at.type == 7) return std::bit_cast<double>(loaded<uint64_t>(body_ + at.offset));
  return static_cast<double>(integer(position));
}

std::string_view SqliteRow::text(int position) const {
  const Cell& at = cell(position);
  if (at.type < kFirstBlob || at.type == kRowid) return {};
  return {reinterpret_cast<const char*>(body_ + at.offset), size_of(at.type)};
}

std::optional<SqlitePages> SqlitePages::open(std::string_view file) {
  const Bytes bytes{reinterpret_cast<const unsigned char*>(file.data()), file.size()};
  if (bytes.size() < kHeaderBytes || !file.starts_with(std::string_view("SQLite format 3\0", 16))) return std::nullopt;
  const uint64_t stated = big_endian(bytes.data() + 16, 2);
  const size_t page_bytes = stated == 1 ? 65536 : stated;
  const size_t reserved = bytes[20];
  constexpr uint64_t kUtf8 = 1;
  if (page_bytes < 512 || !std::has_single_bit(page_bytes) || reserved + 480 > page_bytes) return std::nullopt;
  if (big_endian(bytes.data() + 56, 4) != kUtf8) return std::nullopt;
  return SqlitePages(bytes, page_bytes, page_bytes - reserved);
}

std::unexpected<Error> SqlitePages::malformed(uint32_t page) { return fail("page {} is missing or malformed", page); }

SqlitePages::Bytes SqlitePages::page(uint32_t number) const {
  const size_t begin = (static_cast<size_t>(number) - 1) * page_bytes_;
  if (number == 0 || begin + page_bytes_ > file_.size()) return {};
  return file_.subspan(begin, page_bytes_);
}

/// The children of an interior page, in order; absent for another kind of page.
std::optional<std::vector<uint32_t>> SqlitePages::children(uint32_t number) const {
  const Bytes bytes = page(number);
  const size_t header = number == 1 ? kHeaderBytes : 0;
  if (bytes.empty() || bytes[header] != kInterior) return std::nullopt;
  const size_t count = big_endian(&bytes[header + 3], 2);
  if (header + kInteriorHeader + 2 * count > bytes.size()) return std::nullopt;
  std::vector<uint32_t> found;
  for (size_t i = 0; i < count; ++i) {
    const size_t cell = big_endian(&bytes[header + kInteriorHeader + 2 * i], 2);
    if (cell + 4 > bytes.size()) return std::nullopt;
    found.push_back(static_cast<uint32_t>(big_endian(&bytes[cell], 4)));
  }
  found.push_back(static_cast<uint32_t>(big_endian(&bytes[header + 8], 4)));
  return found;
}

Result<std::vector<uint32_t>> SqlitePages::leaves(uint32_t root) const {
  std::vector<uint32_t> level{root};
  // A table has no more leaves than the header states pages. Of a file that was cut off, all are wanted, those that are
  // missing too; but a damaged one must not make a list of any length.
  constexpr size_t kCutOffBy = 64;
  const size_t there = file_.size() / page_bytes_;
  const size_t most = std::max(there, std::min<size_t>(big_endian(file_.data() + 28, 4), there * kCutOffBy));
  // All leaves lie at one depth, and a b-tree over 2^32 pages has fewer levels than this.
  constexpr int kDeepest = 40;
  for (int depth = 0; depth < kDeepest; ++depth) {
    const Bytes first = page(level.front());
    if (first.empty()) return malformed(level.front());
    if (first[level.front() == 1 ? kHeaderBytes : 0] != kInterior) return level;
    std::vector<uint32_t> below;
    for (const uint32_t number : level) {
      const auto found = children(number);
      if (!found || below.size() + found->size() > most) return malformed(number);
      below.insert(below.end(), found->begin(), found->end());
    }
    level = std::move(below);
  }
  return malformed(root);
}

Result<SqlitePages::Cells> SqlitePages::cells_of(uint32_t leaf) const {
  const Bytes bytes = page(leaf);
  const size_t header = leaf == 1 ? kHeaderBytes : 0;
  if (bytes.empty() || bytes[header] != kLeaf) return malformed(leaf);
  const size_t count = big_endian(&bytes[header + 3], 2);
  if (header + kLeafHeader + 2 * count > bytes.size()) return malformed(leaf);
  return Cells{bytes, bytes.data() + header + kLeafHeader, count};
}

std::optional<SqlitePages::Record> SqlitePages::record_at(const Cells& cells, size_t index,
                                                          std::vector<unsigned char>& scratch) const {
  const size_t offset = big_endian(cells.offsets + 2 * index, 2);
  const unsigned char* at = cells.page.data() + offset;
  const unsigned char* const end = cells.page.data() + usable_;
  uint64_t payload = 0;
  uint64_t rowid = 0;
  if (at >= end || !take_varint(at, end, payload) || !take_varint(at, end, rowid)) return std::nullopt;
  const auto room = static_cast<size_t>(end - at);
  const size_t most_local = usable_ - 35;
  if (payload <= most_local) {
    if (payload > room) return std::nullopt;
    return Record{static_cast<int64_t>(rowid), {at, payload}};
  }
  if (payload > file_.size()) return std::nullopt;
  const size_t least_local = (usable_ - 12) * 32 / 255 - 23;
  const size_t wanted = least_local + (payload - least_local) % (usable_ - 4);
  const size_t local = wanted <= most_local ? wanted : least_local;
  if (local + 4 > room) return std::nullopt;
  const auto first = static_cast<uint32_t>(big_endian(at + local, 4));
  if (!join_overflow({at, local}, first, payload, scratch)) return std::nullopt;
  return Record{static_cast<int64_t>(rowid), scratch};
}

/// Puts a record that continues in other pages together.
bool SqlitePages::join_overflow(Bytes local, uint32_t first, size_t total, std::vector<unsigned char>& scratch) const {
  scratch.assign(local.begin(), local.end());
  for (uint32_t next = first; scratch.size() < total;) {
    const Bytes bytes = page(next);
    if (bytes.empty()) return false;
    const size_t take = std::min(total - scratch.size(), usable_ - 4);
    scratch.insert(scratch.end(), bytes.begin() + 4, bytes.begin() + 4 + static_cast<std::ptrdiff_t>(take));
    next = static_cast<uint32_t>(big_endian(bytes.data(), 4));
  }
  return true;
}

}  // namespace sonde
