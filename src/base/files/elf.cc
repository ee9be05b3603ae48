#include "base/files/elf.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

namespace sonde {
namespace {

/// A structure at an offset of some bytes; absent where they end before it does.
template <typename T>
std::optional<T> at(std::string_view bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::string_view part(std::string_view bytes, uint64_t offset, uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset ? bytes.substr(offset, size) : std::string_view();
}

/// The text that begins at an offset of a string table.
std::string_view text_at(std::string_view table, uint64_t offset) {
  if (offset >= table.size()) return {};
  const std::string_view rest = table.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

}  // namespace

std::optional<ElfFile> ElfFile::open(std::string_view bytes) {
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_ident[EI_DATA] != ELFDATA2LSB) {
    return std::nullopt;
  }
  ElfFile file;
  file.read_sections(bytes);
  file.read_symbols();
  return file;
}

void ElfFile::read_sections(std::string_view bytes) {
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  std::vector<uint32_t> names;
  for (uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto raw = at<Elf64_Shdr>(bytes, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!raw || header->e_shoff > bytes.size()) break;
    const bool in_file = raw->sh_type != SHT_NOBITS;
    sections_.push_back({{},
                         raw->sh_type,
                         raw->sh_link,
                         raw->sh_info,
                         in_file ? part(bytes, raw->sh_offset, raw->sh_size) : std::string_view()});
    names.push_back(raw->sh_name);
  }
  if (header->e_shstrndx >= sections_.size()) return;
  const std::string_view table = sections_[header->e_shstrndx].bytes;
  for (size_t i = 0; i < sections_.size(); ++i) sections_[i].name = text_at(table, names[i]);
}

void ElfFile::read_symbols() {
  const Section* table = section(".symtab");
  if (table == nullptr || table->link >= sections_.size()) return;
  const std::string_view texts = sections_[table->link].bytes;
  for (uint64_t offset = 0; const auto raw = at<Elf64_Sym>(table->bytes, offset); offset += sizeof(Elf64_Sym)) {
    symbols_.push_back({text_at(texts, raw->st_name), static_cast<uint8_t>(ELF64_ST_TYPE(raw->st_info)), raw->st_shndx,
                        raw->st_value, raw->st_size});
  }
}

const ElfFile::Section* ElfFile::section(std::string_view name) const {
  const auto found = std::ranges::find(sections_, name, &Section::name);
  return found == sections_.end() ? nullptr : &*found;
}

std::vector<ElfFile::Relocation> ElfFile::relocations(const Section& of) const {
  const auto index = static_cast<uint32_t>(&of - sections_.data());
  std::vector<Relocation> found;
  for (const Section& section : sections_) {
    if (section.info != index) continue;
    if (section.type == SHT_REL) {
      for (uint64_t i = 0; const auto raw = at<Elf64_Rel>(section.bytes, i); i += sizeof(Elf64_Rel)) {
        found.push_back({raw->r_offset, static_cast<uint32_t>(ELF64_R_SYM(raw->r_info)), std::nullopt});
      }
    } else if (section.type == SHT_RELA) {
      for (uint64_t i = 0; const auto raw = at<Elf64_Rela>(section.bytes, i); i += sizeof(Elf64_Rela)) {
        found.push_back(
            {raw->r_offset, static_cast<uint32_t>(ELF64_R_SYM(raw->r_info)), static_cast<uint64_t>(raw->r_addend)});
      }
    }
  }
  return found;
}

}  // namespace sonde
