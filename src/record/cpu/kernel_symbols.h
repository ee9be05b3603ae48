#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::record {

/// The kernel's functions by address, as far as it shows them (/proc/kallsyms; addresses are zero without the right).
class KernelSymbols {
 public:
  /// The name of the function that holds an address; empty where that is not known.
  [[nodiscard]] std::string_view at(uint64_t address);

 private:
  struct Symbol {
    uint64_t address;
    std::string name;
  };

  void read();

  bool read_ = false;
  std::vector<Symbol> symbols_;
};

}  // namespace sonde::record
