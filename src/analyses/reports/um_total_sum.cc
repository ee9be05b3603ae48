#include <algorithm>
#include <limits>

#include "analyses/gpus/unified_memory.h"
#include "analyses/tables/report_table.h"
#include "trace/columns.h"

namespace sonde {

extern const StatsReport um_total_sum_report;

namespace um_total_sum {
namespace {

struct Totals {
  Migrations migrations;
  FaultCounts faults;
  uint64_t lowest = std::numeric_limits<uint64_t>::max();
  uint64_t highest = 0;
  bool found = false;

  void see(int64_t address) {
    found = true;
    if (address == kUnknown) return;
    lowest = std::min(lowest, static_cast<uint64_t>(address));
    highest = std::max(highest, static_cast<uint64_t>(address));
  }
};

Fields fields(const ReportArguments&) { return {Field::copies, Field::page_faults}; }

Totals total_of(const Trace& trace) {
  Totals totals;
  for (Row row = 0; row < row_count(trace.copies); ++row) {
    if (!is_migration(trace.copies, row)) continue;
    add_migration(trace.copies, row, totals.migrations);
    totals.see(trace.copies.address[row]);
  }
  for (Row row = 0; row < row_count(trace.page_faults); ++row) {
    add_fault(trace.page_faults, row, totals.faults);
    totals.see(trace.page_faults.address[row]);
  }
  return totals;
}

std::string_view bound(Table& table, const Totals& totals, uint64_t address) {
  if (totals.lowest > totals.highest) return {};
  return table.keep(address_text(static_cast<int64_t>(address)));
}

void add_row(Table& table, const Totals& totals) {
  auto& to_device = table.reals("Total HtoD Migration Size", Unit::megabytes, 3);
  auto& to_host = table.reals("Total DtoH Migration Size", Unit::megabytes, 3);
  auto& cpu = table.integers("Total CPU Page Faults");
  auto& gpu = table.integers("Total GPU PageFaults");
  auto& lowest = table.texts("Minimum Virtual Address");
  auto& highest = table.texts("Maximum Virtual Address");
  if (!totals.found) return;
  to_device.push_back(megabytes(totals.migrations.to_device_bytes));
  to_host.push_back(megabytes(totals.migrations.to_host_bytes));
  cpu.push_back(totals.faults.cpu);
  gpu.push_back(totals.faults.gpu);
  lowest.push_back(bound(table, totals, totals.lowest));
  highest.push_back(bound(table, totals, totals.highest));
}

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table = table_of(um_total_sum_report);
  add_row(table, total_of(trace));
  return table;
}

}  // namespace
}  // namespace um_total_sum

const StatsReport um_total_sum_report{
    .name = "um_total_sum",
    .usage = "um_total_sum",
    .title = "Unified Memory Totals Summary",
    .description = R"(Totals of unified memory migrations and page faults.

Total HtoD Migration Size, Total DtoH Migration Size  bytes migrated from host to device, and back
Total CPU Page Faults, Total GPU PageFaults  number of faults; absent if none were recorded
Minimum Virtual Address, Maximum Virtual Address  lowest and highest recorded address)",
    .data = "CUDA Unified Memory CPU page faults",
    .in_default_set = true,
    .fields = um_total_sum::fields,
    .run = um_total_sum::run,
};

}  // namespace sonde
