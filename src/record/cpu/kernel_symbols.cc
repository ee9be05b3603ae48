#include "record/cpu/kernel_symbols.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <vector>

namespace sonde::record {

namespace {

struct Symbol {
  uint64_t address;
  std::string name;
};

/// Lines as "ffffffff81000000 T _text", a module's with "\t[module]" behind. Addresses are zero without the right to
/// see them.
std::vector<Symbol> read_symbols() {
  std::vector<Symbol> symbols;
  std::ifstream file("/proc/kallsyms");
  constexpr int kHexadecimal = 16;
  constexpr ptrdiff_t kTypeAndBlanks = 3;
  for (std::string line; std::getline(file, line);) {
    uint64_t address = 0;
    const char* const end = line.data() + line.size();
    const auto number = std::from_chars(line.data(), end, address, kHexadecimal);
    if (number.ec != std::errc() || address == 0 || end - number.ptr <= kTypeAndBlanks) continue;
    const char type = number.ptr[1];
    if (std::string_view("tTwW").find(type) == std::string_view::npos) continue;
    const std::string_view name(number.ptr + kTypeAndBlanks, end);
    symbols.push_back({address, std::string(name.substr(0, name.find('\t')))});
  }
  std::ranges::stable_sort(symbols, {}, &Symbol::address);
  return symbols;
}

}  // namespace

std::string_view kernel_symbol(uint64_t address) {
  static const std::vector<Symbol> symbols = read_symbols();
  const auto behind = std::ranges::upper_bound(symbols, address, {}, &Symbol::address);
  return behind == symbols.begin() ? std::string_view() : std::string_view(std::prev(behind)->name);
}

}  // namespace sonde::record
