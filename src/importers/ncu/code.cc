#include <utility>

#include "base/files/protobuf.h"
#include "importers/ncu/messages.h"
#include "trace/device_code.h"

namespace sonde::ncu {
namespace {

/// A function as the report places it on the device: { 1: mangled name, 2: address }.
std::pair<std::string_view, uint64_t> placed_function(std::string_view message) {
  std::pair<std::string_view, uint64_t> placed{};
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) placed.first = field.bytes();
    if (field.number() == 2) placed.second = field.integer();
  });
  return placed;
}

}  // namespace

DeviceFunction& Code::function(uint64_t reference, NameId mangled_name, Report& report) {
  auto& functions = report.trace->device_functions;
  const auto [found, is_new] =
      functions_.try_emplace({reference, mangled_name}, static_cast<uint32_t>(functions.size()));
  if (is_new) functions.push_back({.mangled_name = mangled_name, .lines = {}});
  return functions[found->second];
}

void Code::read_cubin(uint64_t reference, std::string_view bytes, Report& report) {
  auto code = read_device_code(bytes, report.wants(Field::source_lines),
                               [&](std::string_view text) { return report.intern(text); });
  if (!code) {
    report.trace->log.add(Issue::no_line_table, "device code that is not an ELF file");
    return;
  }
  if (code->unread_units > 0) {
    report.trace->log.add(Issue::no_line_table, {}, static_cast<int64_t>(code->unread_units));
  }
  for (DeviceFunction& read : code->functions) {
    DeviceFunction& known = function(reference, read.mangled_name, report);
    known.code_bytes = read.code_bytes;
    known.lines = std::move(read.lines);
  }
}

void Code::read(std::string_view message, Report& report) {
  uint64_t reference = 0;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) reference = field.integer();
  });
  ++objects_[reference];
  each_field(message, [&](const WireField& field) {
    if (field.number() == 4) read_cubin(reference, field.bytes(), report);
    if (field.number() != 9) return;
    each_field(field.bytes(), [&](const WireField& part) {
      if (part.number() != 1) return;
      const auto [name, address] = placed_function(part.bytes());
      function(reference, report.intern(name), report).address = address;
    });
  });
}

void Code::assign(Report& report) const {
  auto& kernels = report.trace->kernel_profiles;
  const size_t first = kernels.size() - report.code_of_kernel.size();
  for (size_t i = 0; i < report.code_of_kernel.size(); ++i) {
    KernelProfile& kernel = kernels[first + i];
    const auto found = functions_.find({report.code_of_kernel[i], kernel.mangled_name});
    if (found == functions_.end()) continue;
    // Reports of 2020 and 2021 place functions by a metric only.
    uint64_t& address = report.trace->device_functions[found->second].address;
    const auto stated = metric_number(*report.trace, kernel, "launch__function_pcs");
    if (address == 0 && stated) address = static_cast<uint64_t>(*stated);
    if (address != 0) kernel.function = found->second;
    report.trace->device_functions[found->second].copies = objects_.at(report.code_of_kernel[i]);
  }
}

}  // namespace sonde::ncu
