#include "record/pc_sampling/device_functions.h"

#include <utility>

namespace sonde::record {

void DeviceFunctions::give_to(Trace& trace, KernelProfile& kernel, uint32_t process, uint64_t code) {
  const auto [row, is_new] = rows_.try_emplace({process, code, kernel.mangled_name}, kNone);
  if (is_new) row->second = make_row(trace, kernel, process, code);
  kernel.function = row->second;
}

uint32_t DeviceFunctions::make_row(Trace& trace, const KernelProfile& kernel, uint32_t process, uint64_t code) {
  auto function = code_.function(process, code, trace.name(kernel.mangled_name), trace.names);
  if (function && !function->lines.empty()) return add_row(trace, *std::move(function));
  const auto [row, is_new] = without_lines_.try_emplace({process, kernel.mangled_name}, kNone);
  if (is_new)
    row->second = add_row(trace, function.value_or(DeviceFunction{.mangled_name = kernel.mangled_name, .lines = {}}));
  return row->second;
}

uint32_t DeviceFunctions::add_row(Trace& trace, DeviceFunction function) {
  trace.device_functions.push_back(std::move(function));
  return static_cast<uint32_t>(trace.device_functions.size() - 1);
}

}  // namespace sonde::record
