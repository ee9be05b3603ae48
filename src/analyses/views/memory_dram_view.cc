#include "analyses/kernels/memory_counters.h"
#include "analyses/views/kernel_view.h"
#include "analyses/views/memory_table.h"
#include "metrics/counter_value.h"
#include "metrics/quantities.h"

namespace sonde {
namespace memory_dram {
namespace {

constexpr double kGiga = 1e-9;

void add(MemoryTable& table, std::string_view name, const DramAccesses& a) {
  const auto rate = a.bytes_per_second ? std::optional(*a.bytes_per_second * kGiga) : std::nullopt;
  table.add({name}, {a.sectors, a.bytes, rate, a.percent_of_peak});
}

Result<Table> run(const Trace& trace, const KernelProfile& kernel) {
  MemoryTable table({"Device memory"}, {{"Sectors"},
                                        {"Bytes", Unit::bytes},
                                        {"Throughput", Unit::gigabytes_per_second, 2},
                                        {"Of Peak", Unit::percent, 2}});
  add(table, "read", dram_reads(trace, kernel));
  add(table, "write", dram_writes(trace, kernel));
  DramAccesses both = dram_accesses(trace, kernel);
  if (!both.percent_of_peak) {
    both.percent_of_peak = first_number(trace, kernel,
                                        {"dram__throughput.avg.pct_of_peak_sustained_elapsed",
                                         "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"});
  }
  add(table, "total", both);
  if (table.is_empty()) {
    const std::string reason = reason_of_absence("dram__bytes.sum", trace, kernel);
    if (reason.starts_with("not on")) return fail("{}: counters of device memory", reason);
    return fail(
        "not collected: dram__bytes_read, dram__bytes_write and dram__bytes (ncu --section "
        "MemoryWorkloadAnalysis_Tables)");
  }
  return std::move(table).take({});
}

}  // namespace
}  // namespace memory_dram

extern const KernelView memory_dram_view;
const KernelView memory_dram_view{
    .name = "memory_dram",
    .title = "Device Memory",
    .section = "MemoryWorkloadAnalysis_Tables",
    .description =
        "Traffic of device memory: sectors of 32 bytes, bytes, rate and its share of the peak (from dram__bytes, or "
        "from "
        "dram__throughput if that has no share).",
    .run = memory_dram::run,
};

}  // namespace sonde
