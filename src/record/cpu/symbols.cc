#include "record/cpu/symbols.h"

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace sonde::record {
namespace {

constexpr std::string_view kDebugFiles = "/usr/lib/debug/.build-id";

std::string debug_file(std::string_view build_id) {
  std::string digits;
  for (const char c : build_id) digits += fmt::format("{:02x}", static_cast<uint8_t>(c));
  return fmt::format("{}/{}/{}.debug", kDebugFiles, digits.substr(0, 2),
                     digits.substr(std::min<size_t>(2, digits.size())));
}

bool is_code(const GElf_Sym& symbol) {
  const int type = GELF_ST_TYPE(symbol.st_info);
  const bool function = type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
  return function && symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS && symbol.st_value != 0;
}

}  // namespace

Symbols Symbols::of(Elf* elf, std::string_view build_id) {
  Symbols symbols;
  symbols.read(elf, SHT_SYMTAB);
  if (symbols.symbols_.empty() && !build_id.empty()) {
    const int file = open(debug_file(build_id).c_str(), O_RDONLY | O_CLOEXEC);
    Elf* const debug = file < 0 ? nullptr : elf_begin(file, ELF_C_READ_MMAP, nullptr);
    if (debug != nullptr) symbols.read(debug, SHT_SYMTAB);
    elf_end(debug);
    if (file >= 0) close(file);
  }
  symbols.read(elf, SHT_DYNSYM);
  symbols.sort();
  return symbols;
}

void Symbols::read(Elf* elf, uint32_t section_type) {
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != section_type || header.sh_entsize == 0) continue;
    Elf_Data* const data = elf_getdata(section, nullptr);
    const size_t count = data == nullptr ? 0 : data->d_size / header.sh_entsize;
    for (size_t i = 0; i < count; ++i) {
      GElf_Sym symbol;
      if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr || !is_code(symbol)) continue;
      const char* const name = elf_strptr(elf, header.sh_link, symbol.st_name);
      if (name == nullptr || *name == '\0') continue;
      symbols_.push_back({symbol.st_value, symbol.st_size, static_cast<uint32_t>(names_.size()),
                          GELF_ST_BIND(symbol.st_info) == STB_GLOBAL});
      names_.append(name).push_back('\0');
    }
  }
}

/// Of several names of one place the global one with a size comes last, which at() finds first.
void Symbols::sort() {
  std::ranges::stable_sort(symbols_, {}, [](const Symbol& s) { return std::tuple(s.address, s.bytes, s.global); });
}

std::string_view Symbols::at(uint64_t address) const {
  const auto behind = std::ranges::upper_bound(symbols_, address, {}, &Symbol::address);
  if (behind == symbols_.begin()) return {};
  const Symbol& symbol = *std::prev(behind);
  const bool holds = symbol.bytes == 0 || address - symbol.address < symbol.bytes;
  return holds ? std::string_view(names_.c_str() + symbol.name) : std::string_view();
}

}  // namespace sonde::record
