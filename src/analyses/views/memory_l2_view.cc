#include <array>

#include "analyses/kernels/memory_counters.h"
#include "analyses/views/kernel_view.h"
#include "analyses/views/memory_table.h"

namespace sonde {
namespace memory_l2 {
namespace {

struct L2Row {
  std::string_view name;
  std::string_view accesses;  ///< as cache_accesses() takes it
};

constexpr std::array kRows = {
    L2Row{"L1/TEX load", "_srcunit_tex_op_read"},
    L2Row{"L1/TEX store", "_srcunit_tex_op_write"},
    L2Row{"L1/TEX reduction", "_srcunit_tex_op_red"},
    L2Row{"L1/TEX atomic", "_srcunit_tex_op_atom"},
    L2Row{"L1/TEX total", "_srcunit_tex"},
    L2Row{"L1/TEX to device memory", "_srcunit_tex_aperture_device"},
    L2Row{"L1/TEX to system memory", "_srcunit_tex_aperture_sysmem"},
    L2Row{"L1/TEX to peer memory", "_srcunit_tex_aperture_peer"},
    L2Row{"other L2 partition", "_srcunit_ltcfabric"},
    L2Row{"all reads", "_op_read"},
    L2Row{"all writes", "_op_write"},
    L2Row{"all reductions", "_op_red"},
    L2Row{"all atomics", "_op_atom"},
    L2Row{"total", ""},
};

constexpr double kGiga = 1e-9;

Result<Table> run(const Trace& trace, const KernelProfile& kernel) {
  MemoryTable table({"L2"}, {{"Requests"},
                             {"Sectors"},
                             {"Sectors/Request", Unit::none, 2},
                             {"Hit Rate", Unit::percent, 2},
                             {"Bytes", Unit::bytes},
                             {"Throughput", Unit::gigabytes_per_second, 2},
                             {"Missed Sectors"},
                             {"Of Peak", Unit::percent, 2}});
  for (const L2Row& row : kRows) {
    const CacheAccesses a = cache_accesses(trace, kernel, "lts", row.accesses);
    const auto rate = a.bytes_per_second ? std::optional(*a.bytes_per_second * kGiga) : std::nullopt;
    table.add({row.name}, {a.requests, a.sectors, a.sectors_per_request, a.hit_percent, a.bytes, rate, a.missed_sectors,
                           a.percent_of_peak});
  }
  if (table.is_empty()) {
    return fail(
        "not collected: lts__t_requests_*, lts__t_sectors_* and lts__t_sector_*_hit_rate (ncu --section "
        "MemoryWorkloadAnalysis_Tables)");
  }
  return std::move(table).take({});
}

}  // namespace
}  // namespace memory_l2

extern const KernelView memory_l2_view;
const KernelView memory_l2_view{
    .name = "memory_l2",
    .title = "L2 Cache",
    .section = "MemoryWorkloadAnalysis_Tables",
    .description =
        "Accesses to L2 by source and kind: requests, sectors of 32 bytes, hit rate, bytes. The rows "
        "overlap: 'L1/TEX total' includes the rows above it, 'total' includes all.",
    .run = memory_l2::run,
};

}  // namespace sonde
