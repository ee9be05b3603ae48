#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "record/pc_sampling/loaded_code.h"
#include "trace/trace.h"
#include "wire/pc_record.h"

namespace sonde::record {

/// The functions of measured kernels, with their source lines where the program loaded those: rows of the trace, one
/// for each function.
class DeviceFunctions {
 public:
  void add(uint32_t process, const wire::CodePartBody& part, std::span<const std::byte> bytes) {
    code_.add(process, part, bytes);
  }
  /// Gives a kernel the row of its function. After all parts.
  void give_to(Trace& trace, KernelProfile& kernel, uint32_t process, uint64_t code);

  [[nodiscard]] int64_t without_lines() const { return static_cast<int64_t>(without_lines_.size()); }
  /// Files of code of which parts are missing, of those that were asked for.
  [[nodiscard]] int64_t incomplete() const { return code_.incomplete(); }

 private:
  [[nodiscard]] uint32_t make_row(Trace& trace, const KernelProfile& kernel, uint32_t process, uint64_t code);
  [[nodiscard]] static uint32_t add_row(Trace& trace, DeviceFunction function);

  LoadedCode code_;
  std::map<std::tuple<uint32_t, uint64_t, NameId>, uint32_t> rows_;  ///< by process, code, mangled name
  /// By process and name: what tells of a function does not always have all of its code's checksum.
  std::map<std::pair<uint32_t, NameId>, uint32_t> without_lines_;
};

}  // namespace sonde::record
