#include "base/files/line_table.h"

#include <algorithm>
#include <map>
#include <optional>

namespace sonde {
namespace {

constexpr uint32_t kNoSection = 0;

/// Takes numbers and texts from the front of some bytes; past their end everything is 0 and ok() is false.
class Bytes {
 public:
  Bytes(std::string_view bytes, uint64_t position) : bytes_(bytes), position_(position) {}

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] uint64_t position() const { return position_; }
  [[nodiscard]] bool at_end() const { return position_ >= bytes_.size(); }

  uint64_t unsigned_of(size_t width) {
    if (!has(width)) return 0;
    uint64_t value = 0;
    for (size_t i = 0; i < width; ++i) value |= uint64_t{static_cast<uint8_t>(bytes_[position_ + i])} << (8 * i);
    position_ += width;
    return value;
  }

  uint64_t uleb() {
    uint64_t value = 0;
    for (unsigned shift = 0; ok_; shift += 7) {
      const uint64_t byte = unsigned_of(1);
      if (shift < 64) value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) break;
    }
    return value;
  }

  int64_t sleb() {
    uint64_t value = 0;
    uint64_t byte = 0x80;
    unsigned shift = 0;
    while (ok_ && (byte & 0x80) != 0) {
      byte = unsigned_of(1);
      if (shift < 64) value |= (byte & 0x7f) << shift;
      shift += 7;
    }
    if (shift < 64 && (byte & 0x40) != 0) value |= ~uint64_t{0} << shift;
    return static_cast<int64_t>(value);
  }

  std::string_view text() {
    const size_t end = bytes_.find('\0', std::min<uint64_t>(position_, bytes_.size()));
    if (end == std::string_view::npos) {
      ok_ = false;
      return {};
    }
    const std::string_view found = bytes_.substr(position_, end - position_);
    position_ = end + 1;
    return found;
  }

  void skip(uint64_t count) {
    if (has(count)) position_ += count;
  }

 private:
  bool has(uint64_t count) {
    ok_ = ok_ && position_ <= bytes_.size() && count <= bytes_.size() - position_;
    return ok_;
  }
  std::string_view bytes_;
  uint64_t position_;
  bool ok_ = true;
};

struct UnitHeader {
  uint64_t program = 0;  ///< where the line program begins
  uint64_t min_instruction = 1;
  int8_t line_base = 0;
  uint8_t line_range = 0;
  std::vector<uint8_t> opcode_lengths;  ///< by opcode; index 0 unused
  uint32_t first_file = 0;              ///< what is added to a file number, which counts from 1
};

/// The registers of the machine that a line program runs on.
struct Registers {
  uint32_t section = kNoSection;
  uint64_t address = 0;
  uint64_t file = 1;
  uint64_t line = 1;
};

/// Reads one unit after the other.
class Units {
 public:
  Units(const ElfFile& elf, const ElfFile::Section& section) : elf_(elf), bytes_(section.bytes) {
    for (const ElfFile::Relocation& r : elf.relocations(section)) relocations_.emplace(r.offset, r);
  }

  LineTable read() {
    constexpr uint64_t kSize64 = 0xffffffff;
    uint64_t begin = 0;
    while (begin < bytes_.size()) {
      Bytes bytes(bytes_, begin);
      const uint64_t size = bytes.unsigned_of(4);
      if (!bytes.ok() || size == kSize64 || size > bytes_.size() - bytes.position()) {
        ++table_.unread_units;
        break;
      }
      const uint64_t end = bytes.position() + size;
      if (!read_unit(Bytes(bytes_.substr(0, end), bytes.position()))) ++table_.unread_units;
      begin = end;
    }
    return std::move(table_);
  }

 private:
  bool read_unit(Bytes bytes) {
    const auto header = read_header(bytes);
    return header && run({bytes, *header});
  }

  std::optional<UnitHeader> read_header(Bytes& bytes) {
    UnitHeader header;
    const uint64_t version = bytes.unsigned_of(2);
    if (version < 2 || version > 4) return std::nullopt;
    const uint64_t size = bytes.unsigned_of(4);
    header.program = bytes.position() + size;
    header.min_instruction = bytes.unsigned_of(1);
    if (version == 4) bytes.skip(1);  // operations per instruction: 1 but on VLIW machines
    bytes.skip(1);                    // whether lines begin as statements
    header.line_base = static_cast<int8_t>(bytes.unsigned_of(1));
    header.line_range = static_cast<uint8_t>(bytes.unsigned_of(1));
    const uint64_t opcode_base = bytes.unsigned_of(1);
    header.opcode_lengths.push_back(0);
    for (uint64_t i = 1; i < opcode_base; ++i)
      header.opcode_lengths.push_back(static_cast<uint8_t>(bytes.unsigned_of(1)));
    header.first_file = static_cast<uint32_t>(table_.files.size());
    read_files(bytes);
    if (!bytes.ok() || header.line_range == 0 || header.program < bytes.position()) return std::nullopt;
    bytes.skip(header.program - bytes.position());
    return bytes.ok() ? std::optional(header) : std::nullopt;
  }

  void read_files(Bytes& bytes) {
    std::vector<std::string_view> folders{{}};
    for (std::string_view folder = bytes.text(); !folder.empty(); folder = bytes.text()) folders.push_back(folder);
    for (std::string_view name = bytes.text(); !name.empty(); name = bytes.text()) {
      const uint64_t folder = bytes.uleb();
      bytes.uleb();  // time of the last change
      bytes.uleb();  // size
      const bool relative = !name.starts_with('/') && folder > 0 && folder < folders.size();
      table_.files.push_back(relative ? std::string(folders[folder]) + "/" + std::string(name) : std::string(name));
    }
  }

  struct Program {
    Bytes bytes;
    const UnitHeader& header;
    Registers registers{};
    std::optional<CodeLine> open{};  ///< the stretch whose end the next row tells
  };

  bool run(Program program) {
    while (program.bytes.ok() && !program.bytes.at_end()) {
      const auto opcode = static_cast<uint8_t>(program.bytes.unsigned_of(1));
      if (opcode >= program.header.opcode_lengths.size()) {
        special(program, static_cast<uint8_t>(opcode - program.header.opcode_lengths.size()));
      } else if (opcode == 0) {
        extended(program);
      } else {
        standard(program, opcode);
      }
    }
    return program.bytes.ok();
  }

  void special(Program& program, uint8_t adjusted) {
    const UnitHeader& header = program.header;
    program.registers.address += adjusted / header.line_range * header.min_instruction;
    program.registers.line += static_cast<uint64_t>(int64_t{header.line_base} + adjusted % header.line_range);
    add_row(program, false);
  }

  void extended(Program& program) {
    enum : uint8_t { kEndSequence = 1, kSetAddress = 2 };
    const uint64_t size = program.bytes.uleb();
    const uint64_t next = program.bytes.position() + size;
    const uint64_t opcode = size > 0 ? program.bytes.unsigned_of(1) : 0;
    if (opcode == kEndSequence) {
      add_row(program, true);
      program.registers = {};
    } else if (opcode == kSetAddress) {
      set_address(program, size - 1);
    }
    // Others (files defined late, and NVIDIA's of inlined functions) are skipped by their size.
    if (next >= program.bytes.position()) program.bytes.skip(next - program.bytes.position());
  }

  /// The address that the linker fills in: the begin of the symbol's place in its section.
  void set_address(Program& program, uint64_t width) {
    const uint64_t place = program.bytes.position();
    const uint64_t stored = program.bytes.unsigned_of(std::min<uint64_t>(width, sizeof(uint64_t)));
    program.registers.section = kNoSection;
    program.registers.address = stored;
    const auto found = relocations_.find(place);
    if (found == relocations_.end() || found->second.symbol >= elf_.symbols().size()) return;
    const ElfFile::Symbol& symbol = elf_.symbols()[found->second.symbol];
    program.registers.section = symbol.section;
    program.registers.address = symbol.value + found->second.addend.value_or(stored);
  }

  void standard(Program& program, uint8_t opcode) {
    enum : uint8_t { kCopy = 1, kAdvancePc, kAdvanceLine, kSetFile, kConstAddPc = 8, kFixedAdvancePc };
    constexpr uint8_t kLastOpcode = 255;
    Registers& r = program.registers;
    const UnitHeader& header = program.header;
    switch (opcode) {
      case kCopy: return add_row(program, false);
      case kAdvancePc: r.address += program.bytes.uleb() * header.min_instruction; return;
      case kAdvanceLine: r.line += static_cast<uint64_t>(program.bytes.sleb()); return;
      case kSetFile: r.file = program.bytes.uleb(); return;
      case kConstAddPc:
        r.address += (kLastOpcode - header.opcode_lengths.size()) / header.line_range * header.min_instruction;
        return;
      case kFixedAdvancePc: r.address += program.bytes.unsigned_of(2); return;
      default:  // columns, statements, blocks, prologues: their arguments are ULEB128 numbers
        for (uint8_t i = 0; i < header.opcode_lengths[opcode]; ++i) program.bytes.uleb();
    }
  }

  /// A row of the matrix: the stretch before it ends here, and unless the sequence ends, one begins.
  void add_row(Program& program, bool end_of_sequence) {
    const Registers& r = program.registers;
    if (program.open && program.open->section == r.section && program.open->begin < r.address) {
      program.open->end = r.address;
      table_.lines.push_back(*program.open);
    }
    program.open.reset();
    const uint64_t file = program.header.first_file + r.file - 1;
    if (end_of_sequence || r.section == kNoSection || r.file == 0 || file >= table_.files.size()) return;
    program.open =
        CodeLine{r.section, r.address, r.address, static_cast<uint32_t>(file), static_cast<uint32_t>(r.line)};
  }

  const ElfFile& elf_;
  std::string_view bytes_;
  std::map<uint64_t, ElfFile::Relocation> relocations_;
  LineTable table_;
};

}  // namespace

LineTable read_line_table(const ElfFile& elf) {
  const ElfFile::Section* section = elf.section(".debug_line");
  return section == nullptr ? LineTable() : Units(elf, *section).read();
}

}  // namespace sonde
