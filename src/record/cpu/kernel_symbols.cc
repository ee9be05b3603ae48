#include "record/cpu/kernel_symbols.h"

#include <algorithm>
#include <charconv>
#include <fstream>

namespace sonde::record {

std::string_view KernelSymbols::at(uint64_t address) {
  if (!read_) read();
  const auto behind = std::ranges::upper_bound(symbols_, address, {}, &Symbol::address);
  return behind == symbols_.begin() ? std::string_view() : std::string_view(std::prev(behind)->name);
}

/// Lines as "ffffffff81000000 T _text", a module's with "\t[module]" behind.
void KernelSymbols::read() {
  read_ = true;
  std::ifstream file("/proc/kallsyms");
  constexpr int kHexadecimal = 16;
  for (std::string line; std::getline(file, line);) {
    uint64_t address = 0;
    const char* const end = line.data() + line.size();
    const auto number = std::from_chars(line.data(), end, address, kHexadecimal);
    if (number.ec != std::errc() || address == 0 || end - number.ptr < 4) continue;
    const char type = number.ptr[1];
    if (std::string_view("tTwW").find(type) == std::string_view::npos) continue;
    const std::string_view name(number.ptr + 3, end);
    symbols_.push_back({address, std::string(name.substr(0, name.find('\t')))});
  }
  std::ranges::stable_sort(symbols_, {}, &Symbol::address);
}

}  // namespace sonde::record
