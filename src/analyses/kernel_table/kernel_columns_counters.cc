#include <algorithm>

#include "analyses/kernel_table/kernel_columns.h"
#include "analyses/kernels/kernel_advice.h"
#include "analyses/kernels/kernel_bound.h"
#include "analyses/kernels/stall_reasons.h"
#include "metrics/quantities.h"

namespace sonde {
namespace {

/// Names of quantities as arguments of templates.
template <size_t N>
struct Name {
  // NOLINTNEXTLINE(google-explicit-constructor,hicpp-explicit-conversions): a literal is the argument.
  constexpr Name(const char (&text)[N]) { std::copy_n(text, N, chars); }
  char chars[N]{};
};

/// A quantity of a measured launch.
template <Name quantity>
std::optional<double> measured(const KernelLaunch& launch) {
  return launch.profile == nullptr ? std::nullopt : quantity_value(quantity.chars, *launch.trace, *launch.profile);
}

template <Name a, Name b>
std::optional<double> sum(const KernelLaunch& launch) {
  const auto x = measured<a>(launch);
  const auto y = measured<b>(launch);
  return x && y ? std::optional(*x + *y) : std::nullopt;
}

constexpr double kBytesPerMegabyte = 1e6;

template <Name a, Name b>
std::optional<double> megabytes_per_second(const KernelLaunch& launch) {
  const auto bytes = sum<a, b>(launch);
  return bytes ? std::optional(*bytes / kBytesPerMegabyte) : std::nullopt;
}

std::optional<double> coalesced_sectors(const KernelLaunch& launch) {
  const auto all = measured<"global_sectors">(launch);
  const auto excessive = measured<"excessive_global_sectors">(launch);
  return all && excessive ? std::optional(*all - *excessive) : std::nullopt;
}

std::string stall_text(const KernelLaunch& launch) {
  if (launch.profile == nullptr) return {};
  const auto stall = top_stall(*launch.trace, *launch.profile);
  return stall ? fmt::format("{} {:.0f} %", stall->reason, *stall->share_percent) : std::string();
}

std::string advice_text(const KernelLaunch& launch) {
  if (launch.profile == nullptr) return {};
  const auto advice = top_advice(*launch.trace, *launch.profile);
  if (!advice) return launch.profile->rules.empty() ? "" : "none";
  if (!advice->speedup) return std::string(advice->title);
  const bool local = advice->speedup->scope != EstimatedSpeedup::Scope::global;
  return fmt::format("{} ({}{:.1f} %)", advice->title, local ? "local " : "", advice->speedup->percent);
}

std::string text_of_bound(const KernelLaunch& launch) {
  return launch.profile == nullptr ? std::string() : bound_text(*launch.trace, *launch.profile);
}

}  // namespace

#define SONDE_COLUMN(id)                 \
  extern const KernelColumn id##_column; \
  const KernelColumn id##_column

SONDE_COLUMN(compute){
    .name = "compute",
    .title = "Compute",
    .description =
        "compute throughput (speed of light): utilization of the busiest compute unit as a percentage of its peak",
    .unit = Unit::percent,
    .decimals = 1,
    .collected_by = "--section SpeedOfLight",
    .quantity = "compute_sol",
    .number = measured<"compute_sol">};

SONDE_COLUMN(memory){.name = "memory",
                     .title = "Memory",
                     .description =
                         "memory throughput (speed of light): utilization of the busiest part of the memory system as "
                         "a percentage of its peak",
                     .unit = Unit::percent,
                     .decimals = 1,
                     .collected_by = "--section SpeedOfLight",
                     .quantity = "memory_sol",
                     .number = measured<"memory_sol">};

SONDE_COLUMN(bound){
    .name = "bound",
    .title = "Bound",
    .description = "bound of the longest launch: compute, memory with its busiest part, balanced, latency, small grid",
    .collected_by = "--section SpeedOfLight",
    .text = text_of_bound};

SONDE_COLUMN(achieved){.name = "achieved",
                       .title = "Achieved Occ",
                       .description = "achieved occupancy: active warps per SM as a percentage of the maximum",
                       .unit = Unit::percent,
                       .decimals = 1,
                       .collected_by = "--section Occupancy",
                       .quantity = "achieved_occupancy",
                       .number = measured<"achieved_occupancy">};

SONDE_COLUMN(dram_read){.name = "dram_read",
                        .title = "DRAM Read",
                        .description = "bytes read from device memory",
                        .unit = Unit::bytes,
                        .combine = Combine::sum,
                        .collected_by = "--section MemoryWorkloadAnalysis_Tables",
                        .quantity = "dram_read_bytes",
                        .number = measured<"dram_read_bytes">};

SONDE_COLUMN(dram_write){.name = "dram_write",
                         .title = "DRAM Write",
                         .description = "bytes written to device memory",
                         .unit = Unit::bytes,
                         .combine = Combine::sum,
                         .collected_by = "--section MemoryWorkloadAnalysis_Tables",
                         .quantity = "dram_write_bytes",
                         .number = measured<"dram_write_bytes">};

SONDE_COLUMN(l2_hit){.name = "l2_hit",
                     .title = "L2 Hit",
                     .description = "L2 hit rate: share of the looked-up sectors that were in L2",
                     .unit = Unit::percent,
                     .decimals = 1,
                     .collected_by = "--section MemoryWorkloadAnalysis",
                     .quantity = "l2_hit_rate",
                     .number = measured<"l2_hit_rate">};

SONDE_COLUMN(l1_hit){.name = "l1_hit",
                     .title = "L1 Hit",
                     .description = "L1 hit rate: share of the looked-up sectors that were in L1",
                     .unit = Unit::percent,
                     .decimals = 1,
                     .collected_by = "--section MemoryWorkloadAnalysis",
                     .quantity = "l1_hit_rate",
                     .number = measured<"l1_hit_rate">};

SONDE_COLUMN(stall){.name = "stall",
                    .title = "Top Stall",
                    .description = "top warp stall reason of the longest launch, with its share",
                    .collected_by = "--section WarpStateStats",
                    .quantity = "stall_long_scoreboard",
                    .text = stall_text};

SONDE_COLUMN(advice){
    .name = "advice",
    .title = "Top Advice",
    .description =
        "of the tool's rules that relieve what bounds the kernel, the one with the greatest estimated speedup of the "
        "whole kernel, otherwise the greatest local speedup (of one aspect only)",
    .collected_by = "--apply-rules yes",
    .text = advice_text};

SONDE_COLUMN(global_throughput){.name = "global_throughput",
                                .title = "Global Mem",
                                .description = "bytes per second of global loads and stores",
                                .unit = Unit::megabytes_per_second,
                                .decimals = 1,
                                .collected_by =
                                    "--metrics l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum.per_second,"
                                    "l1tex__t_bytes_pipe_lsu_mem_global_op_st.sum.per_second",
                                .number = megabytes_per_second<"global_load_throughput", "global_store_throughput">};

SONDE_COLUMN(shared_throughput){.name = "shared_throughput",
                                .title = "Shared Mem",
                                .description = "bytes per second of shared loads and stores",
                                .unit = Unit::megabytes_per_second,
                                .decimals = 1,
                                .collected_by =
                                    "--metrics smsp__sass_data_bytes_mem_shared_op_ld.sum.per_second,"
                                    "smsp__sass_data_bytes_mem_shared_op_st.sum.per_second",
                                .number = megabytes_per_second<"shared_load_throughput", "shared_store_throughput">};

SONDE_COLUMN(coalesced){.name = "coalesced",
                        .title = "Coalesced",
                        .description = "global memory sectors needed for the accessed bytes",
                        .combine = Combine::sum,
                        .collected_by = "--section SourceCounters",
                        .quantity = "global_sectors",
                        .number = coalesced_sectors};

SONDE_COLUMN(uncoalesced){.name = "uncoalesced",
                          .title = "Uncoalesced",
                          .description = "global memory sectors beyond those needed for the accessed bytes",
                          .combine = Combine::sum,
                          .collected_by = "--section SourceCounters",
                          .quantity = "excessive_global_sectors",
                          .number = measured<"excessive_global_sectors">};

#undef SONDE_COLUMN

}  // namespace sonde
