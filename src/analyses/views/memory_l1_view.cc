#include <array>

#include "analyses/kernels/memory_counters.h"
#include "analyses/views/kernel_view.h"
#include "analyses/views/memory_table.h"

namespace sonde {
namespace memory_l1 {
namespace {

struct L1Row {
  std::string_view name;
  std::string_view instructions;  ///< as memory_instructions() takes it; empty: there is no such counter
  std::string_view accesses;      ///< as cache_accesses() takes it
  std::string_view useful;        ///< of smsp__sass_average_data_bytes_per_sector_mem_<useful>; empty: none
};

constexpr std::array kRows = {
    L1Row{"global load", "global_ld", "_pipe_lsu_mem_global_op_ld", "global_op_ld"},
    L1Row{"global load to shared", "ldgsts", "_pipe_lsu_mem_global_op_ldgsts", ""},
    L1Row{"global store", "global_st", "_pipe_lsu_mem_global_op_st", "global_op_st"},
    L1Row{"global reduction", "global_red", "_pipe_lsu_mem_global_op_red", ""},
    L1Row{"global atomic", "global_atom", "_pipe_lsu_mem_global_op_atom", ""},
    L1Row{"local load", "local_ld", "_pipe_lsu_mem_local_op_ld", "local_op_ld"},
    L1Row{"local store", "local_st", "_pipe_lsu_mem_local_op_st", "local_op_st"},
    L1Row{"texture fetch", "texture", "_pipe_tex_mem_texture", ""},
    L1Row{"surface load", "surface_ld", "_pipe_tex_mem_surface_op_ld", ""},
    L1Row{"surface store", "surface_st", "_pipe_tex_mem_surface_op_st", ""},
    L1Row{"surface reduction", "surface_red", "_pipe_tex_mem_surface_op_red", ""},
    L1Row{"surface atomic", "surface_atom", "_pipe_tex_mem_surface_op_atom", ""},
    L1Row{"loads of all kinds", "ld", "", ""},
    L1Row{"stores of all kinds", "st", "", ""},
};

std::optional<double> useful_bytes(const Trace& trace, const KernelProfile& kernel, std::string_view which) {
  if (which.empty()) return std::nullopt;
  return metric_number(trace, kernel, fmt::format("smsp__sass_average_data_bytes_per_sector_mem_{}.ratio", which));
}

void add(MemoryTable& table, std::string_view name, std::optional<double> instructions, const CacheAccesses& a,
         std::optional<double> useful) {
  table.add({name}, {instructions, a.requests, a.sectors, a.sectors_per_request, a.hit_percent, a.bytes, useful,
                     a.missed_sectors, a.percent_of_peak});
}

Result<Table> run(const Trace& trace, const KernelProfile& kernel) {
  MemoryTable table({"L1/TEX"}, {{"Instructions"},
                                 {"Requests"},
                                 {"Sectors"},
                                 {"Sectors/Request", Unit::none, 2},
                                 {"Hit Rate", Unit::percent, 2},
                                 {"Bytes", Unit::bytes},
                                 {"Used of 32 Bytes", Unit::bytes, 2},
                                 {"Missed Sectors"},
                                 {"Of Peak", Unit::percent, 2}});
  for (const L1Row& row : kRows) {
    const CacheAccesses accesses =
        row.accesses.empty() ? CacheAccesses() : cache_accesses(trace, kernel, "l1tex", row.accesses);
    add(table, row.name, memory_instructions(trace, kernel, row.instructions), accesses,
        useful_bytes(trace, kernel, row.useful));
  }
  add(table, "total", std::nullopt, cache_accesses(trace, kernel, "l1tex", ""), std::nullopt);
  if (table.is_empty()) {
    return fail(
        "not collected: l1tex__t_requests_*, l1tex__t_sectors_* and l1tex__t_sector_*_hit_rate (ncu --section "
        "MemoryWorkloadAnalysis_Tables)");
  }
  return std::move(table).take({});
}

}  // namespace
}  // namespace memory_l1

extern const KernelView memory_l1_view;
const KernelView memory_l1_view{
    .name = "memory_l1",
    .title = "L1/TEX Cache",
    .section = "MemoryWorkloadAnalysis_Tables",
    .description =
        "Accesses of instructions to L1: warp instructions, requests and sectors of 32 bytes at the tag stage, "
        "hit "
        "rate, and bytes of each sector that the threads used (32 is ideal). Sectors per request: 4 is ideal "
        "for "
        "32 threads with 4 bytes each.",
    .run = memory_l1::run,
};

}  // namespace sonde
