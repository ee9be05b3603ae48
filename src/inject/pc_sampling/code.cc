#include "inject/pc_sampling/code.h"

#include <elf.h>
#include <pthread.h>

#include <atomic>
#include <cstring>

#include "inject/pages.h"
#include "inject/pc_sampling/report_pc_samples.h"

namespace sonde::inject::pc_sampling {
namespace {

constexpr uint32_t kMaxRanges = 12;
constexpr uint32_t kMaxFiles = 4096;
constexpr uint64_t kMostBytes = uint64_t{64} << 20U;  ///< of all kept code of a process

struct Range {
  uint64_t offset;
  uint64_t bytes;
};

/// What line tables take of an ELF file (base/line_table.h reads them): header, sections' headers and names,
/// .debug_line with its relocations, symbols.
struct Ranges {
  Range all[kMaxRanges];
  uint32_t count = 0;
  uint64_t bytes = 0;

  void add(uint64_t offset, uint64_t bytes_more) noexcept {
    if (count == kMaxRanges || bytes_more == 0) return;
    all[count++] = {offset, bytes_more};
    bytes += bytes_more;
  }
};

/// An ELF file in memory; what lies outside it is not there.
class Elf {
 public:
  Elf(const char* data, size_t bytes) noexcept : data_(data), bytes_(bytes) {
    Elf64_Ehdr header;
    if (!take(0, header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_shentsize != sizeof(Elf64_Shdr) || !lies_within(header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr))) {
      return;
    }
    header_ = header;
  }

  [[nodiscard]] bool section(uint32_t index, Elf64_Shdr& into) const noexcept {
    return index < header_.e_shnum && take(header_.e_shoff + index * sizeof into, into) &&
           (into.sh_type == SHT_NOBITS || lies_within(into.sh_offset, into.sh_size));
  }

  [[nodiscard]] bool is_named(const Elf64_Shdr& section, const char* name) const noexcept {
    Elf64_Shdr names;
    const size_t length = strlen(name) + 1;
    return this->section(header_.e_shstrndx, names) && section.sh_name < names.sh_size &&
           names.sh_size - section.sh_name >= length &&
           memcmp(data_ + names.sh_offset + section.sh_name, name, length) == 0;
  }

  [[nodiscard]] const Elf64_Ehdr& header() const noexcept { return header_; }

 private:
  [[nodiscard]] bool lies_within(uint64_t offset, uint64_t count) const noexcept {
    return offset <= bytes_ && count <= bytes_ - offset;
  }
  template <typename T>
  [[nodiscard]] bool take(uint64_t offset, T& into) const noexcept {
    if (!lies_within(offset, sizeof into)) return false;
    memcpy(&into, data_ + offset, sizeof into);
    return true;
  }

  const char* data_;
  size_t bytes_;
  Elf64_Ehdr header_{};
};

/// The number of .debug_line; 0 where there is none.
uint32_t line_section(const Elf& elf) noexcept {
  Elf64_Shdr section;
  for (uint32_t i = 1; i < elf.header().e_shnum; ++i) {
    if (elf.section(i, section) && section.sh_size > 0 && elf.is_named(section, ".debug_line")) return i;
  }
  return 0;
}

bool is_needed(const Elf& elf, const Elf64_Shdr& section, uint32_t index, uint32_t lines) noexcept {
  const bool relocates = (section.sh_type == SHT_REL || section.sh_type == SHT_RELA) && section.sh_info == lines;
  return index == lines || relocates || index == elf.header().e_shstrndx || section.sh_type == SHT_SYMTAB;
}

/// Empty where the file has no lines.
Ranges ranges_of(const Elf& elf) noexcept {
  Ranges ranges;
  const uint32_t lines = line_section(elf);
  if (lines == 0) return ranges;
  ranges.add(0, sizeof(Elf64_Ehdr));
  ranges.add(elf.header().e_shoff, elf.header().e_shnum * sizeof(Elf64_Shdr));
  Elf64_Shdr section;
  for (uint32_t i = 1; i < elf.header().e_shnum; ++i) {
    if (!elf.section(i, section) || section.sh_type == SHT_NOBITS || !is_needed(elf, section, i, lines)) continue;
    ranges.add(section.sh_offset, section.sh_size);
    Elf64_Shdr names;
    if (section.sh_type == SHT_SYMTAB && elf.section(section.sh_link, names))
      ranges.add(names.sh_offset, names.sh_size);
  }
  return ranges;
}

struct Kept {
  uint64_t crc = 0;
  uint64_t file_bytes = 0;
  Ranges ranges{};
  std::byte* bytes = nullptr;  ///< of the ranges, one behind the other
  bool is_reported = false;
};

pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;  ///< of all below
constinit Kept* files = nullptr;                       ///< room for kMaxFiles
constinit uint32_t file_count = 0;
constinit uint64_t kept_bytes = 0;
constinit bool reported_full = false;

/// The file of this checksum, as far as `bits` of it are compared.
Kept* find(uint64_t crc, uint64_t bits) noexcept {
  for (uint32_t i = 0; i < file_count; ++i) {
    if ((files[i].crc & bits) == crc) return &files[i];
  }
  return nullptr;
}

bool has_room(uint64_t bytes) noexcept {
  if (files == nullptr) files = new_array<Kept>(kMaxFiles);
  const bool room = files != nullptr && file_count < kMaxFiles && bytes <= kMostBytes - kept_bytes;
  if (!room && !reported_full) report(wire::PcState::code_full);
  reported_full = reported_full || !room;
  return room;
}

void keep(uint64_t crc, const char* cubin, size_t bytes, const Ranges& ranges) noexcept {
  if (find(crc, ~uint64_t{0}) != nullptr || !has_room(ranges.bytes)) return;
  std::byte* const copy = new_array<std::byte>(ranges.bytes);
  if (copy == nullptr) return;
  std::byte* at = copy;
  for (uint32_t i = 0; i < ranges.count; ++i) {
    memcpy(at, cubin + ranges.all[i].offset, ranges.all[i].bytes);
    at += ranges.all[i].bytes;
  }
  files[file_count++] = {crc, bytes, ranges, copy, false};
  kept_bytes += ranges.bytes;
}

void report_all(const Kept& file) noexcept {
  const std::byte* at = file.bytes;
  for (uint32_t i = 0; i < file.ranges.count; ++i) {
    const Range& range = file.ranges.all[i];
    report_code({file.crc, file.file_bytes, file.ranges.bytes, range.offset, 0, 0}, at, range.bytes);
    at += range.bytes;
  }
}

/// Null is allowed.
void report_once(Kept* file) noexcept {
  if (file != nullptr && !file->is_reported) report_all(*file);
  if (file != nullptr) file->is_reported = true;
}

}  // namespace

void keep_code(const Functions& functions, const char* cubin, size_t bytes) noexcept {
  if (cubin == nullptr || bytes > wire::kMaxCodeFile) return;
  const Ranges ranges = ranges_of(Elf(cubin, bytes));
  CubinCrcParams crc;
  crc.cubin = cubin;
  crc.cubin_bytes = bytes;
  if (ranges.count == 0 || functions.cubin_crc(&crc) != Result::ok) return;
  pthread_mutex_lock(&changing);
  keep(crc.crc, cubin, bytes, ranges);
  pthread_mutex_unlock(&changing);
}

void report_code_of(uint64_t crc) noexcept {
  pthread_mutex_lock(&changing);
  report_once(find(crc, ~uint64_t{0}));
  pthread_mutex_unlock(&changing);
}

uint64_t report_code_of_half(uint32_t crc) noexcept {
  constexpr uint64_t kLowerHalf = 0xFFFFFFFF;
  pthread_mutex_lock(&changing);
  Kept* const file = find(crc, kLowerHalf);
  report_once(file);
  const uint64_t whole = file == nullptr ? crc : file->crc;
  pthread_mutex_unlock(&changing);
  return whole;
}

}  // namespace sonde::inject::pc_sampling
