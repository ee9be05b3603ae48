#pragma once

#include <elf.h>
#include <link.h>

#include <cstdint>

/// The dynamic symbols of a library that has just been mapped, and is not relocated yet.
namespace sonde::audit {

class Symbols {
 public:
  /// `map` is a library of this process. Without a table that can be read there are no symbols.
  explicit Symbols(const link_map& map) noexcept;

  [[nodiscard]] uint32_t count() const noexcept { return count_; }
  [[nodiscard]] ElfW(Sym) & at(uint32_t index) const noexcept { return table_[index]; }
  [[nodiscard]] const char* name(uint32_t index) const noexcept { return texts_ + table_[index].st_name; }
  /// Null where there is none of that name.
  [[nodiscard]] const ElfW(Sym) * find(const char* wanted) const noexcept;

 private:
  void count_by_gnu_hash(const uint32_t* table) noexcept;

  ElfW(Sym) * table_ = nullptr;
  const char* texts_ = nullptr;
  uint32_t count_ = 0;
};

/// Whether a symbol is a function that other libraries find.
[[nodiscard]] bool is_exported_function(const ElfW(Sym) & symbol) noexcept;

}  // namespace sonde::audit
