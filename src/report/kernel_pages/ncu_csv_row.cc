#include "report/kernel_pages/ncu_csv_row.h"

#include <algorithm>
#include <array>

#include "trace/kernel_name.h"

namespace sonde {
namespace {

constexpr std::array<std::string_view, 11> kCsvTitles = {
    "ID",     "Process ID", "Process Name", "Host Name", "Kernel Name", "Context",
    "Stream", "Block Size", "Grid Size",    "Device",    "CC"};

std::string known(int64_t value) { return value == kUnknown ? std::string() : fmt::format("{}", value); }

}  // namespace

void NcuCsvRow::add(std::string_view cell) {
  line_ += line_.empty() ? "\"" : ",\"";
  for (const char c : cell) {
    if (c == '"') line_ += '"';
    line_ += c;
  }
  line_ += '"';
}

void NcuCsvRow::add_launch(const Trace& trace, const KernelProfile& kernel) {
  add(fmt::format("{}", kernel.id));
  add(known(kernel.process));
  add(process_name(trace, kernel));
  add(kShownHost);
  add(without_casts(trace.name(kernel.name)));
  add(known(kernel.context));
  add(known(kernel.stream));
  add(dim3_text(kernel.block));
  add(dim3_text(kernel.grid));
  add(kernel.device == kNone ? std::string() : fmt::format("{}", trace.devices[kernel.device].id));
  add(capability_text(trace, kernel));
}

void NcuCsvRow::add_launch_titles() {
  for (const std::string_view title : kCsvTitles) add(title);
}

void NcuCsvRow::add_launch_blanks() {
  for (size_t i = 0; i < kCsvTitles.size(); ++i) add({});
}

void NcuCsvRow::end() { line_ += ','; }

std::string NcuCsvRow::take() { return std::exchange(line_, {}) + "\n"; }

}  // namespace sonde
