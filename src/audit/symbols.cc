#include "audit/symbols.h"

#include "audit/text.h"

namespace sonde::audit {
namespace {

/// Of the dynamic section: glibc has made addresses of offsets on most machines when this is called.
uintptr_t address(const link_map& map, ElfW(Addr) value) noexcept {
  return value < map.l_addr ? map.l_addr + value : value;
}

}  // namespace

Symbols::Symbols(const link_map& map) noexcept {
  const uint32_t* hash = nullptr;
  const uint32_t* gnu_hash = nullptr;
  for (const ElfW(Dyn)* entry = map.l_ld; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    const uintptr_t at = address(map, entry->d_un.d_ptr);
    switch (entry->d_tag) {
      case DT_SYMTAB: table_ = reinterpret_cast<ElfW(Sym)*>(at); break;
      case DT_STRTAB: texts_ = reinterpret_cast<const char*>(at); break;
      case DT_HASH: hash = reinterpret_cast<const uint32_t*>(at); break;
      case DT_GNU_HASH: gnu_hash = reinterpret_cast<const uint32_t*>(at); break;
      default: break;
    }
  }
  if (table_ == nullptr || texts_ == nullptr) return;
  if (hash != nullptr) {
    count_ = hash[1];  // behind the number of buckets: that of symbols
  } else if (gnu_hash != nullptr) {
    count_by_gnu_hash(gnu_hash);
  }
}

/// The table (https://sourceware.org/legacy-ml/binutils/2006-10/msg00377.html): numbers of buckets, of the first symbol
/// in it and of 64-bit words of its filter; the filter; buckets, each with its first symbol; a word for each symbol,
/// odd where it is the last of its bucket.
void Symbols::count_by_gnu_hash(const uint32_t* table) noexcept {
  const uint32_t buckets = table[0];
  const uint32_t first = table[1];
  const uint32_t filter_words = table[2];
  const uint32_t* const bucket = table + 4 + size_t{filter_words} * 2;
  const uint32_t* const chain = bucket + buckets;
  uint32_t last = 0;
  for (uint32_t i = 0; i < buckets; ++i) last = bucket[i] > last ? bucket[i] : last;
  if (last < first) return;
  while ((chain[last - first] & 1U) == 0) ++last;
  count_ = last + 1;
}

const ElfW(Sym) * Symbols::find(const char* wanted) const noexcept {
  for (uint32_t i = 0; i < count_; ++i) {
    if (table_[i].st_shndx != SHN_UNDEF && is_same(name(i), wanted)) return &table_[i];
  }
  return nullptr;
}

bool is_exported_function(const ElfW(Sym) & symbol) noexcept {
  const unsigned binding = ELF64_ST_BIND(symbol.st_info);
  return symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
         (binding == STB_GLOBAL || binding == STB_WEAK);
}

}  // namespace sonde::audit
