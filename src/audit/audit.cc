#include <sys/mman.h>
#include <sys/syscall.h>

#include <cstddef>

#include "audit/symbols.h"
#include "audit/text.h"
#include "wire/libraries.h"

/// libsonde_audit.so: the loader tells it (LD_AUDIT, see rtld-audit(7)) of each library that it has mapped and not yet
/// bound. In those of NVIDIA's whose calls are wanted it changes the table of symbols: a function is found, by the
/// loader and by dlsym() alike, where libsonde_inject.so has the stub that calls it and takes the time. So no function
/// is there that the program does not have, and no way of binding passes it by.
///
/// The loader gives such a library a C library of its own; this one needs none and calls the kernel itself.
namespace sonde::audit {
namespace {

char wanted[128] = {};  // a copy: programs write their titles over the environment that they were started with
wire::LibraryFunction* functions = nullptr;
std::byte* stubs = nullptr;
uint32_t* count = nullptr;
std::atomic<uint64_t>** lost = nullptr;

constexpr uintptr_t kPage = 4096;

long call_kernel([[maybe_unused]] long number, [[maybe_unused]] uintptr_t a, [[maybe_unused]] uintptr_t b,
                 [[maybe_unused]] uintptr_t c) noexcept {
#ifdef __x86_64__
  long result = number;  // NOLINT(misc-const-correctness): the kernel changes it
  __asm__ volatile("syscall" : "+a"(result) : "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
#else
  return -1;
#endif
}

/// What the memory at an address may be used for, by the library's own program headers; 0 where that is not known.
int protection_of(const link_map& map, uintptr_t at) noexcept {
  const auto* const header = reinterpret_cast<const ElfW(Ehdr)*>(map.l_addr);
  if (map.l_addr == 0 || !begins_with(reinterpret_cast<const char*>(header->e_ident), ELFMAG)) return 0;
  const auto* const segments = reinterpret_cast<const ElfW(Phdr)*>(map.l_addr + header->e_phoff);
  for (int i = 0; i < header->e_phnum; ++i) {
    const ElfW(Phdr)& segment = segments[i];
    if (segment.p_type != PT_LOAD || at - map.l_addr - segment.p_vaddr >= segment.p_memsz) continue;
    return ((segment.p_flags & PF_R) != 0 ? PROT_READ : 0) | ((segment.p_flags & PF_W) != 0 ? PROT_WRITE : 0) |
           ((segment.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
  }
  return 0;
}

/// The table of symbols as memory that can be written to, for a while.
class Writable {
 public:
  Writable(const link_map& map, const Symbols& symbols) noexcept
      : begin_(reinterpret_cast<uintptr_t>(&symbols.at(0)) & ~(kPage - 1)),
        bytes_(reinterpret_cast<uintptr_t>(&symbols.at(symbols.count())) - begin_),
        before_(protection_of(map, reinterpret_cast<uintptr_t>(&symbols.at(0)))),
        written_(before_ != 0 && call_kernel(SYS_mprotect, begin_, bytes_, PROT_READ | PROT_WRITE) == 0) {}
  Writable(const Writable&) = delete;
  Writable& operator=(const Writable&) = delete;
  ~Writable() {
    if (written_) call_kernel(SYS_mprotect, begin_, bytes_, static_cast<uintptr_t>(before_));
  }
  explicit operator bool() const noexcept { return written_; }

 private:
  uintptr_t begin_;
  uintptr_t bytes_;
  int before_;
  bool written_;
};

template <typename T>
T* object_of(const link_map& map, const Symbols& symbols, const char* name) noexcept {
  const ElfW(Sym)* const symbol = symbols.find(name);
  return symbol == nullptr ? nullptr : reinterpret_cast<T*>(map.l_addr + symbol->st_value);
}

void find_stubs(const link_map& map) noexcept {
  const Symbols symbols(map);
  functions = object_of<wire::LibraryFunction>(map, symbols, wire::kLibraryFunctionsSymbol);
  stubs = object_of<std::byte>(map, symbols, wire::kLibraryStubsSymbol);
  count = object_of<uint32_t>(map, symbols, wire::kLibraryCountSymbol);
  lost = object_of<std::atomic<uint64_t>*>(map, symbols, wire::kLibraryLostSymbol);
}

void replace(const link_map& map, ElfW(Sym) & symbol, const char* name, wire::Library library) noexcept {
  if (*count >= wire::kMaxLibraryFunctions) {
    if (*lost != nullptr) (*lost)->fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const uint32_t number = (*count)++;
  wire::LibraryFunction& function = functions[number];
  function.function = reinterpret_cast<void*>(map.l_addr + symbol.st_value);
  function.name = name;
  function.library = library;
  symbol.st_value = reinterpret_cast<uintptr_t>(stubs + size_t{number} * wire::kLibraryStubBytes) - map.l_addr;
}

void replace_all(const link_map& map, uint16_t library) noexcept {
  const Symbols symbols(map);
  if (symbols.count() == 0) return;
  const Writable writable(map, symbols);
  if (!writable) return;
  for (uint32_t i = 0; i < symbols.count(); ++i) {
    ElfW(Sym)& symbol = symbols.at(i);
    const char* const name = symbols.name(i);
    if (!is_exported_function(symbol) || !begins_with(name, wire::kLibraryRows[library].function)) continue;
    replace(map, symbol, name, static_cast<wire::Library>(library));
  }
}

void look_at(const link_map& map) noexcept {
  const char* const name = file_name(map.l_name);
  if (is_same(name, wire::kInjectFile)) return find_stubs(map);
  if (functions == nullptr || stubs == nullptr || count == nullptr || lost == nullptr) return;
  for (uint16_t i = 0; i < wire::kLibraries; ++i) {
    const wire::LibraryRow& row = wire::kLibraryRows[i];
    if (has_word(wanted, row.trace) && begins_with(name, row.file)) return replace_all(map, i);
  }
}

/// A list that does not fit is none: libraries.inc is shorter.
void keep_wanted(const char* list) noexcept {
  size_t bytes = 0;
  while (list[bytes] != '\0') ++bytes;
  for (size_t i = 0; bytes < sizeof wanted && i <= bytes; ++i) wanted[i] = list[i];
}

__attribute__((constructor)) void find_wanted(int, char**, char** environment) noexcept {
  constexpr size_t kNameBytes = __builtin_strlen(wire::kLibrariesVariable);
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    if (begins_with(*environment, wire::kLibrariesVariable) && (*environment)[kNameBytes] == '=') {
      keep_wanted(*environment + kNameBytes + 1);
    }
  }
}

}  // namespace
}  // namespace sonde::audit

// The names are the loader's.
// NOLINTBEGIN(readability-*, misc-use-internal-linkage)
extern "C" {

/// 0: the loader forgets this library.
__attribute__((visibility("default"))) unsigned la_version(unsigned version) {
  // Of glibc 2.35: before that the loader slowed every call down where it had an auditor.
  constexpr unsigned kKnown = 2;
  return sonde::wire::kHasLibraryStubs && sonde::audit::wanted[0] != '\0' && version >= kKnown ? kKnown : 0;
}

__attribute__((visibility("default"))) unsigned la_objopen(link_map* map, Lmid_t space, uintptr_t*) {
  if (space == LM_ID_BASE && map->l_name != nullptr) sonde::audit::look_at(*map);
  return 0;
}

}  // extern "C"
// NOLINTEND(readability-*, misc-use-internal-linkage)
