#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::record {

/// The code that a process made at run time, as it reported in /tmp/perf-PID.map: lines "START SIZE NAME", numbers in
/// hexadecimal. Python from 3.12 writes one under -X perf, as do JVMs and V8 with theirs.
class PerfMap {
 public:
  explicit PerfMap(uint32_t process);
  /// Empty where none is known.
  [[nodiscard]] std::string_view at(uint64_t address) const;

 private:
  struct Function {
    uint64_t begin;
    uint64_t bytes;
    std::string name;
  };
  std::vector<Function> functions_;
};

}  // namespace sonde::record
