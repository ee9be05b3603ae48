#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

/// Tables read straight from the pages of a SQLite file, several times faster than through SQL and on any number of
/// threads. The format: https://sqlite.org/fileformat.html, sections 1.3 (header), 1.6 (b-tree pages), 2.1 (records).
/// Every length and offset is checked; what does not fit is an error that names the page.
namespace sonde {

/// The wanted columns of one row. Views point into the file or into the scan's scratch buffer.
class SqliteRow {
 public:
  /// `columns`: the number, in the table, of each wanted column. `rowid_column`: the one that stands for the rowid.
  SqliteRow(std::span<const uint32_t> columns, std::optional<uint32_t> rowid_column);

  /// False when the record is malformed.
  [[nodiscard]] bool decode(int64_t rowid, std::span<const unsigned char> record);

  [[nodiscard]] bool is_null(int position) const { return cell(position).type == kNull; }
  [[nodiscard]] bool is_text(int position) const {
    const uint64_t type = cell(position).type;
    return type >= kFirstBlob && type % 2 == 1 && type != kRowid;
  }
  /// 0 for what is not a number; a fraction is cut off.
  [[nodiscard]] int64_t integer(int position) const {
    const Cell& at = cell(position);
    const unsigned char* const data = body_ + at.offset;
    switch (at.type) {
      case kNull:
      case 8: return 0;
      case 9: return 1;
      case 1: return static_cast<int8_t>(data[0]);
      case 2: return static_cast<int16_t>(loaded<uint16_t>(data));
      case 3: return int64_t{static_cast<int16_t>(loaded<uint16_t>(data))} * 256 + data[2];
      case 4: return static_cast<int32_t>(loaded<uint32_t>(data));
      case 5:
        return int64_t{static_cast<int16_t>(loaded<uint16_t>(data))} * (int64_t{1} << 32) + loaded<uint32_t>(data + 2);
      case 6: return static_cast<int64_t>(loaded<uint64_t>(data));
      case 7: return cut_off(std::bit_cast<double>(loaded<uint64_t>(data)));
      case kRowid: return rowid_;
      default: return 0;
    }
  }
  [[nodiscard]] double real(int position) const;
  [[nodiscard]] std::string_view text(int position) const;

 private:
  static constexpr uint64_t kNull = 0;
  static constexpr uint64_t kRowid = ~uint64_t{0};  ///< in place of a type, for the column that is the rowid
  static constexpr uint64_t kFirstBlob = 12;
  struct Cell {
    uint64_t type = kNull;  ///< SQLite's serial type; kRowid for the rowid
    uint64_t offset = 0;    ///< in the record's body
  };
  /// A record's header, and what follows from it. Most rows of a table have one of a few headers.
  struct Layout {
    std::vector<unsigned char> types;  ///< as varints
    uint64_t body_bytes = 0;           ///< up to the last wanted column
    bool known = false;
  };
  static constexpr size_t kLayouts = 128;  ///< the last one of each hash is kept

  template <typename T>
  [[nodiscard]] static T loaded(const unsigned char* big_endian) {
    T value;
    std::memcpy(&value, big_endian, sizeof(T));
    return std::byteswap(value);
  }
  [[nodiscard]] static int64_t cut_off(double value);
  [[nodiscard]] const Cell& cell(int position) const { return cells_[first_cell_ + static_cast<size_t>(position)]; }
  [[nodiscard]] bool learn(size_t layout, std::span<const unsigned char> types, uint64_t body_bytes);

  std::vector<int> position_of_column_;  ///< -1: not wanted
  std::optional<int> rowid_position_;
  size_t wanted_;
  std::vector<Layout> layouts_;
  std::vector<Cell> cells_;  ///< of each layout
  /// The row: its layout's first cell, and the record's body.
  size_t first_cell_ = 0;
  const unsigned char* body_ = nullptr;
  int64_t rowid_ = 0;
};

class SqlitePages {
 public:
  /// Absent for a file whose pages this cannot read: another encoding than UTF-8, no pages.
  [[nodiscard]] static std::optional<SqlitePages> open(std::string_view file);

  [[nodiscard]] size_t page_bytes() const { return page_bytes_; }

  /// Leaf pages of a table's b-tree, in the order of rowids.
  [[nodiscard]] Result<std::vector<uint32_t>> leaves(uint32_t root) const;

  /// Calls `f(row)` for each row of a leaf page.
  template <typename F>
  [[nodiscard]] Status each_row(uint32_t leaf, SqliteRow& row, F&& f) const {
    const auto cells = cells_of(leaf);
    if (!cells) return std::unexpected(cells.error());
    std::vector<unsigned char> scratch;
    for (size_t i = 0; i < cells->count; ++i) {
      const auto record = record_at(*cells, i, scratch);
      if (!record || !row.decode(record->rowid, record->bytes)) return malformed(leaf);
      f(row);
    }
    return {};
  }

 private:
  using Bytes = std::span<const unsigned char>;
  struct Cells {
    Bytes page;
    const unsigned char* offsets = nullptr;  ///< two bytes each
    size_t count = 0;
  };
  struct Record {
    int64_t rowid = 0;
    Bytes bytes;
  };
  SqlitePages(Bytes file, size_t page_bytes, size_t usable) : file_(file), page_bytes_(page_bytes), usable_(usable) {}
  [[nodiscard]] static std::unexpected<Error> malformed(uint32_t page);
  [[nodiscard]] Bytes page(uint32_t number) const;
  [[nodiscard]] Result<Cells> cells_of(uint32_t leaf) const;
  [[nodiscard]] std::optional<Record> record_at(const Cells& cells, size_t index,
                                                std::vector<unsigned char>& scratch) const;
  [[nodiscard]] std::optional<std::vector<uint32_t>> children(uint32_t number) const;
  [[nodiscard]] bool join_overflow(Bytes local, uint32_t first, size_t total,
                                   std::vector<unsigned char>& scratch) const;

  Bytes file_;
  size_t page_bytes_;
  size_t usable_;  ///< bytes of a page that hold content
};

}  // namespace sonde
