#include <algorithm>
#include <numeric>

#include "analyses/gpus/unified_memory.h"
#include "analyses/tables/grouping.h"
#include "analyses/tables/report_table.h"
#include "trace/columns.h"

namespace sonde {

extern const StatsReport um_sum_report;

namespace um_sum {
namespace {

/// How many rows Nsight lists without :rows.
constexpr int64_t kDefaultRows = 10;

struct OfAddress {
  Migrations migrations;
  FaultCounts faults;
};

struct Addresses {
  Grouping<int64_t> groups;
  std::vector<OfAddress> sums;

  OfAddress& at(int64_t address) {
    const uint32_t group = groups.group_of(address);
    if (group == sums.size()) sums.emplace_back();
    return sums[group];
  }
};

Fields fields(const ReportArguments&) { return {Field::copies, Field::page_faults}; }

Addresses by_address(const Trace& trace) {
  Addresses addresses;
  for (Row row = 0; row < row_count(trace.copies); ++row) {
    if (!is_migration(trace.copies, row) || trace.copies.address[row] == kUnknown) continue;
    add_migration(trace.copies, row, addresses.at(trace.copies.address[row]).migrations);
  }
  for (Row row = 0; row < row_count(trace.page_faults); ++row) {
    add_fault(trace.page_faults, row, addresses.at(trace.page_faults.address[row]).faults);
  }
  return addresses;
}

/// Counts of an address without faults are zero where any fault was recorded, else unknown.
void complete_faults(Addresses& addresses) {
  FaultCounts any;
  for (const OfAddress& a : addresses.sums) {
    any.cpu = std::max(any.cpu, a.faults.cpu);
    any.gpu = std::max(any.gpu, a.faults.gpu);
  }
  for (OfAddress& a : addresses.sums) {
    if (any.cpu != kUnknown) a.faults.cpu = std::max<int64_t>(a.faults.cpu, 0);
    if (any.gpu != kUnknown) a.faults.gpu = std::max<int64_t>(a.faults.gpu, 0);
  }
}

/// Most bytes first, then most faults, then the lowest address.
std::vector<Row> listed(const Addresses& addresses, int64_t limit) {
  std::vector<Row> order(addresses.sums.size());
  std::iota(order.begin(), order.end(), Row{0});
  const auto key = [&](Row row) {
    const OfAddress& a = addresses.sums[row];
    const int64_t faults = std::max<int64_t>(a.faults.cpu, 0) + std::max<int64_t>(a.faults.gpu, 0);
    return std::tuple(-a.migrations.bytes(), -faults, static_cast<uint64_t>(addresses.groups.keys()[row]));
  };
  std::ranges::sort(order, {}, key);
  if (limit >= 0 && static_cast<size_t>(limit) < order.size()) order.resize(static_cast<size_t>(limit));
  return order;
}

/// Bytes per nanosecond are gigabytes per second.
double throughput(const Migrations& m) {
  return m.time_ns > 0 ? 1000 * static_cast<double>(m.bytes()) / static_cast<double>(m.time_ns) : kAbsent;
}

void add_columns(Table& table, const Addresses& addresses) {
  auto& address = table.texts("Virtual Address");
  auto& to_device = table.reals("HtoD Migration Size", Unit::megabytes, 3);
  auto& to_host = table.reals("DtoH Migration Size", Unit::megabytes, 3);
  auto& cpu = table.integers("CPU Page Faults");
  auto& gpu = table.integers("GPU PageFaults");
  auto& rate = table.reals("Migration Throughput", Unit::megabytes_per_second, 3);
  for (size_t i = 0; i < addresses.sums.size(); ++i) {
    const OfAddress& a = addresses.sums[i];
    address.push_back(table.keep(address_text(addresses.groups.keys()[i])));
    to_device.push_back(megabytes(a.migrations.to_device_bytes));
    to_host.push_back(megabytes(a.migrations.to_host_bytes));
    cpu.push_back(a.faults.cpu);
    gpu.push_back(a.faults.gpu);
    rate.push_back(throughput(a.migrations));
  }
}

Result<Table> run(const Trace& trace, const ReportArguments& arguments) {
  Table table = table_of(um_sum_report);
  Addresses addresses = by_address(trace);
  complete_faults(addresses);
  add_columns(table, addresses);
  table.select_rows(listed(addresses, arguments.rows.value_or(kDefaultRows)));
  return table;
}

}  // namespace
}  // namespace um_sum

const StatsReport um_sum_report{
    .name = "um_sum",
    .usage = "um_sum[:rows=<limit>]",
    .title = "Unified Memory Analysis Summary",
    .description =
        R"(Unified memory migrations between host and device, by address; most bytes first.

  :rows=<limit>  number of rows to list (default: 10; -1 lists all)

Virtual Address       base of the pages
HtoD Migration Size   bytes migrated from host to device
DtoH Migration Size   bytes migrated from device to host
CPU Page Faults, GPU PageFaults  faults at that address; absent if none were recorded
Migration Throughput  migrated bytes divided by the time of the migrations)",
    .data = "CUDA Unified Memory CPU page faults",
    .in_default_set = true,
    .fields = um_sum::fields,
    .run = um_sum::run,
};

}  // namespace sonde
