#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "trace/trace.h"

/// What a measured launch asked of the memory, whatever its GPU calls the counters. docs/profiles/kernel_views.md has
/// the names.
namespace sonde {

/// Counters whose names differ between GPUs and versions: the total of the first that was collected.
[[nodiscard]] std::optional<double> first_total(const Trace& trace, const KernelProfile& kernel,
                                                std::initializer_list<std::string_view> counters);

/// Instructions of warps: "global_ld" stands for {smsp, sm}__{inst_executed, sass_inst_executed}_op_global_ld.
[[nodiscard]] std::optional<double> memory_instructions(const Trace& trace, const KernelProfile& kernel,
                                                        std::string_view operation);

/// Counts of a cache's tag stage. The part of the name behind "t_sectors" chooses which: "_pipe_lsu_mem_global_op_ld"
/// of "l1tex", "_srcunit_tex_op_read" of "lts"; empty for all.
struct CacheAccesses {
  std::optional<double> requests;
  std::optional<double> sectors;  ///< of 32 bytes
  std::optional<double> sectors_per_request;
  std::optional<double> hit_percent;
  std::optional<double> bytes;
  std::optional<double> bytes_per_second;
  std::optional<double> missed_sectors;
  std::optional<double> percent_of_peak;  ///< rate of sectors
};
[[nodiscard]] CacheAccesses cache_accesses(const Trace& trace, const KernelProfile& kernel, std::string_view hardware,
                                           std::string_view which);

/// Traffic of device memory.
struct DramAccesses {
  std::optional<double> sectors;
  std::optional<double> bytes;
  std::optional<double> bytes_per_second;
  std::optional<double> percent_of_peak;
};
[[nodiscard]] DramAccesses dram_reads(const Trace& trace, const KernelProfile& kernel);
[[nodiscard]] DramAccesses dram_writes(const Trace& trace, const KernelProfile& kernel);
/// Both; the sum of them where no counter has it.
[[nodiscard]] DramAccesses dram_accesses(const Trace& trace, const KernelProfile& kernel);

}  // namespace sonde
