#include <array>

#include "analyses/kernels/memory_counters.h"
#include "analyses/views/kernel_view.h"
#include "analyses/views/memory_table.h"
#include "metrics/counter_value.h"

namespace sonde {
namespace memory_chart {
namespace {

constexpr double kGiga = 1e-9;
constexpr double kSectorBytes = 32;

/// What the kernel's instructions ask of L1/TEX or of shared memory.
struct InstructionLink {
  std::string_view from, to, what;
  std::string_view instructions;  ///< as memory_instructions() takes it
  std::string_view accesses;      ///< as cache_accesses() takes it, of L1; empty: shared memory has none
};

constexpr std::string_view kKernel = "kernel";
constexpr std::string_view kL1 = "L1/TEX";
constexpr std::string_view kL2 = "L2";
constexpr std::string_view kShared = "shared";
constexpr std::string_view kDevice = "device memory";
constexpr std::string_view kSystem = "system memory";
constexpr std::string_view kPeer = "peer GPUs";

constexpr std::array kInstructions = {
    InstructionLink{kL1, kKernel, "global loads", "global_ld", "_pipe_lsu_mem_global_op_ld"},
    InstructionLink{kKernel, kL1, "global stores", "global_st", "_pipe_lsu_mem_global_op_st"},
    InstructionLink{kKernel, kL1, "global reductions", "global_red", "_pipe_lsu_mem_global_op_red"},
    InstructionLink{kKernel, kL1, "global atomics", "global_atom", "_pipe_lsu_mem_global_op_atom"},
    InstructionLink{kL1, kKernel, "local loads", "local_ld", "_pipe_lsu_mem_local_op_ld"},
    InstructionLink{kKernel, kL1, "local stores", "local_st", "_pipe_lsu_mem_local_op_st"},
    InstructionLink{kL1, kKernel, "texture fetches", "texture", "_pipe_tex_mem_texture"},
    InstructionLink{kL1, kKernel, "surface loads", "surface_ld", "_pipe_tex_mem_surface_op_ld"},
    InstructionLink{kKernel, kL1, "surface stores", "surface_st", "_pipe_tex_mem_surface_op_st"},
    InstructionLink{kShared, kKernel, "shared loads", "shared_ld", ""},
    InstructionLink{kKernel, kShared, "shared stores", "shared_st", ""},
    InstructionLink{kKernel, kShared, "shared atomics", "shared_atom", ""},
    InstructionLink{kL1, kShared, "loads to shared", "ldgsts", "_pipe_lsu_mem_global_op_ldgsts"},
    InstructionLink{kL1, kKernel, "loads of all kinds", "ld", ""},
    InstructionLink{kKernel, kL1, "stores of all kinds", "st", ""},
};

/// A counter and the bytes of each count; empty: none.
struct BytesCounter {
  std::string_view counter;
  double bytes = 1;
};

/// What moves between caches and memories: the first of the counters that was collected.
struct TransferLink {
  std::string_view from, to, what;
  std::array<BytesCounter, 3> counters;
};

// A miss of a load or store of the SMs in L2 is what goes to system and peer memory; NVLink and PCIe count all that
// passes, of this kernel or not.
constexpr std::array kTransfers = {
    TransferLink{kL2,
                 kL1,
                 "reads",
                 {{{"l1tex__m_xbar2l1tex_read_bytes"},
                   {"l1tex__m_xbar2l1tex_read_sectors", kSectorBytes},
                   {"lts__t_sectors_srcunit_tex_op_read", kSectorBytes}}}},
    TransferLink{kL1,
                 kL2,
                 "writes",
                 {{{"l1tex__m_l1tex2xbar_write_bytes"},
                   {"l1tex__m_l1tex2xbar_write_sectors", kSectorBytes},
                   {"lts__t_sectors_srcunit_tex_op_write", kSectorBytes}}}},
    TransferLink{kDevice, kL2, "reads", {{{"dram__bytes_read"}, {"dram__bytes_op_read"}, {}}}},
    TransferLink{kL2, kDevice, "writes", {{{"dram__bytes_write"}, {"dram__bytes_op_write"}, {}}}},
    TransferLink{kSystem,
                 kL2,
                 "misses",
                 {{{"syslts__t_sectors_srcunit_tex_aperture_sysmem_lookup_miss", kSectorBytes},
                   {"lts__t_sectors_srcunit_tex_aperture_sysmem_lookup_miss", kSectorBytes},
                   {}}}},
    TransferLink{kPeer,
                 kL2,
                 "misses",
                 {{{"syslts__t_sectors_srcunit_tex_aperture_peer_lookup_miss", kSectorBytes},
                   {"lts__t_sectors_srcunit_tex_aperture_peer_lookup_miss", kSectorBytes},
                   {}}}},
    TransferLink{kSystem, kL2, "PCIe reads", {{{"pcie__read_bytes"}, {}, {}}}},
    TransferLink{kL2, kSystem, "PCIe writes", {{{"pcie__write_bytes"}, {}, {}}}},
    TransferLink{kPeer, kL2, "NVLink received", {{{"nvlrx__bytes"}, {}, {}}}},
    TransferLink{kL2, kPeer, "NVLink sent", {{{"nvltx__bytes"}, {}, {}}}},
};

std::optional<double> scaled(std::optional<double> value, double factor) {
  return value ? std::optional(*value * factor) : std::nullopt;
}

void add(MemoryTable& table, const InstructionLink& link, const Trace& trace, const KernelProfile& kernel) {
  const CacheAccesses a =
      link.accesses.empty() ? CacheAccesses() : cache_accesses(trace, kernel, "l1tex", link.accesses);
  table.add({link.from, link.to, link.what},
            {memory_instructions(trace, kernel, link.instructions), a.requests, a.bytes,
             scaled(a.bytes_per_second, kGiga), a.hit_percent, a.percent_of_peak});
}

void add(MemoryTable& table, const TransferLink& link, const Trace& trace, const KernelProfile& kernel) {
  for (const BytesCounter& c : link.counters) {
    const auto bytes = scaled(counter_total(trace, kernel, c.counter), c.bytes);
    const auto rate = scaled(counter_per_second(trace, kernel, c.counter), c.bytes * kGiga);
    const auto percent = counter_percent_of_peak(trace, kernel, c.counter);
    if (c.counter.empty() || (!bytes && !rate && !percent)) continue;
    table.add({link.from, link.to, link.what}, {std::nullopt, std::nullopt, bytes, rate, std::nullopt, percent});
    return;
  }
}

/// What a cache or memory did altogether: all that the default set of sections has.
void add_whole(MemoryTable& table, std::string_view unit, const CacheAccesses& a, std::optional<double> percent) {
  table.add({unit, "", "all"},
            {std::nullopt, a.requests, a.bytes, scaled(a.bytes_per_second, kGiga), a.hit_percent, percent});
}

void add_units(MemoryTable& table, const Trace& trace, const KernelProfile& kernel) {
  const auto number = [&](std::initializer_list<std::string_view> names) { return first_number(trace, kernel, names); };
  add_whole(table, kL1, cache_accesses(trace, kernel, "l1tex", ""),
            number({"l1tex__throughput.avg.pct_of_peak_sustained_elapsed",
                    "l1tex__throughput.avg.pct_of_peak_sustained_active"}));
  add_whole(table, kL2, cache_accesses(trace, kernel, "lts", ""),
            number({"lts__throughput.avg.pct_of_peak_sustained_elapsed"}));
  const DramAccesses dram = dram_accesses(trace, kernel);
  CacheAccesses of_dram;
  of_dram.bytes = dram.bytes;
  of_dram.bytes_per_second = dram.bytes_per_second;
  add_whole(table, kDevice, of_dram,
            number({"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
                    "dram__throughput.avg.pct_of_peak_sustained_elapsed"}));
}

Result<Table> run(const Trace& trace, const KernelProfile& kernel) {
  MemoryTable table({"From", "To", "What"}, {{"Instructions"},
                                             {"Requests"},
                                             {"Bytes", Unit::bytes},
                                             {"Throughput", Unit::gigabytes_per_second, 2},
                                             {"Hit Rate", Unit::percent, 2},
                                             {"Of Peak", Unit::percent, 2}});
  for (const InstructionLink& link : kInstructions) add(table, link, trace, kernel);
  for (const TransferLink& link : kTransfers) add(table, link, trace, kernel);
  add_units(table, trace, kernel);
  if (table.is_empty()) {
    return fail(
        "not collected: l1tex__t_requests_*, lts__t_sectors_* and dram__bytes_* (ncu --section "
        "MemoryWorkloadAnalysis_Chart)");
  }
  return std::move(table).take("Links without a row were not collected (ncu --section MemoryWorkloadAnalysis_Chart).");
}

}  // namespace
}  // namespace memory_chart

extern const KernelView memory_chart_view;
const KernelView memory_chart_view{
    .name = "memory_chart",
    .title = "Memory Chart",
    .section = "MemoryWorkloadAnalysis_Chart",
    .description =
        "Traffic between the kernel, the caches and the memories. The hit rate is that of the cache the requests went "
        "to. "
        "Rows with 'all' are totals of a cache or memory; their share of the peak is that of its busiest part "
        "(l1tex__throughput, lts__throughput, gpu__dram_throughput).",
    .run = memory_chart::run,
};

}  // namespace sonde
