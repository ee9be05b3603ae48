#include "analyses/measured/busy_unit.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "metrics/quantities.h"

namespace sonde {
namespace {

constexpr std::string_view kOfPeak = ".avg.pct_of_peak_sustained_elapsed";
constexpr std::string_view kMemoryThroughput = "gpu__compute_memory_throughput";
constexpr std::string_view kComputeThroughput = "sm__throughput";

struct CounterPart {
  std::string_view prefix;
  MemoryPart part;
};

// The first that fits. l1tex__m_* is the interface of L1 with L2: what it moves is L2's traffic.
constexpr std::array kBusyUnitParts = {
    CounterPart{"dram", MemoryPart::dram},
    CounterPart{"fbpa__", MemoryPart::dram},
    CounterPart{"lts__d_sectors_fill_sysmem", MemoryPart::host},
    CounterPart{"lts__", MemoryPart::l2},
    CounterPart{"ltc__", MemoryPart::l2},
    CounterPart{"lrc__", MemoryPart::l2},
    CounterPart{"l1tex__m_", MemoryPart::l2},
    CounterPart{"l1tex__", MemoryPart::l1},
    CounterPart{"pcie__", MemoryPart::host},
};

struct CounterName {
  std::string_view counter, name;
};

constexpr std::array kCounterNames = {
    CounterName{"dram__cycles_active", "DRAM interface"},
    CounterName{"dram__throughput", "DRAM interface"},
    CounterName{"fbpa__dram_sectors", "DRAM sectors"},
    CounterName{"l1tex__data_bank_reads", "L1 data bank reads"},
    CounterName{"l1tex__data_bank_writes", "L1 data bank writes"},
    CounterName{"l1tex__data_pipe_lsu_wavefronts", "L1 data stage"},
    CounterName{"l1tex__data_pipe_tex_wavefronts", "L1 data stage of textures"},
    CounterName{"l1tex__lsu_writeback_active", "L1 return to registers"},
    CounterName{"l1tex__lsuin_requests", "load and store requests"},
    CounterName{"l1tex__throughput", "L1"},
    CounterName{"l1tex__m_l1tex2xbar_req_cycles_active", "requests from L1 to L2"},
    CounterName{"l1tex__m_xbar2l1tex_read_sectors", "sectors from L2 to L1"},
    CounterName{"lts__d_sectors", "L2 data sectors"},
    CounterName{"lts__lts2xbar_cycles_active", "L2 output"},
    CounterName{"lts__t_sectors", "L2 sector lookups"},
    CounterName{"lts__t_tag_requests", "L2 tag lookups"},
    CounterName{"lts__throughput", "L2"},
    CounterName{"lts__xbar2lts_cycles_active", "L2 input"},
    CounterName{"sm__inst_executed", "instruction issue"},
    CounterName{"sm__issue_active", "instruction issue"},
    CounterName{"sm__inst_executed_pipe_adu", "address divergence unit"},
    CounterName{"sm__inst_executed_pipe_cbu_pred_on_any", "branch unit"},
    CounterName{"sm__inst_executed_pipe_lsu", "load and store pipe"},
    CounterName{"sm__inst_executed_pipe_tex", "texture pipe"},
    CounterName{"sm__inst_executed_pipe_uniform", "uniform pipe"},
    CounterName{"sm__inst_executed_pipe_xu", "pipe of special functions and conversions"},
    CounterName{"sm__inst_executed_pipe_fp16", "FP16 pipe"},
    CounterName{"sm__mio_inst_issued", "issue of memory instructions"},
    CounterName{"sm__mio_pq_read_cycles_active", "queue of memory instructions"},
    CounterName{"sm__mio_pq_write_cycles_active", "queue of memory instructions"},
    CounterName{"sm__mio2rf_writeback_active", "return of memory instructions"},
    CounterName{"sm__pipe_alu_cycles_active", "integer and logic pipe"},
    CounterName{"sm__pipe_fma_cycles_active", "FP32 pipe"},
    CounterName{"sm__pipe_fmaheavy_cycles_active", "FP32 pipe"},
    CounterName{"sm__pipe_fp64_cycles_active", "FP64 pipe"},
    CounterName{"sm__pipe_shared_cycles_active", "pipe that FP64 and tensor cores share"},
    CounterName{"sm__pipe_tensor_cycles_active", "tensor cores"},
    CounterName{"sm__pipe_tc_cycles_active", "tensor cores"},
};

MemoryPart part_of(std::string_view counter) {
  const auto* const found =
      std::ranges::find_if(kBusyUnitParts, [&](const CounterPart& p) { return counter.starts_with(p.prefix); });
  return found == kBusyUnitParts.end() ? MemoryPart::unknown : found->part;
}

/// The parts of a throughput, as a list separated by commas; empty where the report does not list them.
std::string_view parts_of(const Trace& trace, const KernelProfile& kernel, std::string_view throughput) {
  const Metric* list = find_metric(trace, kernel, fmt::format("breakdown:{}{}", throughput, kOfPeak));
  return list == nullptr || list->value.name() == kNone ? std::string_view() : trace.name(list->value.name());
}

/// Parts that stand for others, of which the report does not say which.
bool is_opaque(std::string_view counter) { return counter.ends_with("_internal_activity"); }

std::optional<BusyUnit> busiest_part(const Trace& trace, const KernelProfile& kernel, std::string_view throughput) {
  std::optional<BusyUnit> busiest;
  for (std::string_view rest = parts_of(trace, kernel, throughput); !rest.empty();) {
    const std::string_view metric = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), metric.size() + 1));
    const std::string_view counter = metric.substr(0, metric.find('.'));
    if (is_opaque(counter)) continue;
    const auto percent = metric_number(trace, kernel, metric);
    if (percent && (!busiest || *percent > busiest->percent))
      busiest = {part_of(counter), *percent, std::string(counter)};
  }
  return busiest;
}

/// The busiest level by the levels' own throughputs.
std::optional<BusyUnit> busiest_level(const Trace& trace, const KernelProfile& kernel) {
  struct Level {
    std::string_view quantity;
    MemoryPart part;
    std::string_view counter;
  };
  constexpr std::array kLevels = {Level{"dram_sol", MemoryPart::dram, "dram__throughput"},
                                  Level{"l2_sol", MemoryPart::l2, "lts__throughput"},
                                  Level{"l1_sol", MemoryPart::l1, "l1tex__throughput"}};
  std::optional<BusyUnit> busiest;
  for (const Level& level : kLevels) {
    const auto percent = quantity_value(level.quantity, trace, kernel);
    if (percent && (!busiest || *percent > busiest->percent))
      busiest = {level.part, *percent, std::string(level.counter)};
  }
  return busiest;
}

/// L1 and shared memory are one unit: whose passes it makes.
MemoryPart l1_or_shared(const Trace& trace, const KernelProfile& kernel) {
  constexpr std::string_view kAll = "l1tex__data_pipe_lsu_wavefronts";
  const auto number = [&](std::string_view suffix) {
    return metric_number(trace, kernel, fmt::format("{}{}", kAll, suffix));
  };
  const auto fixed = metric_number(trace, kernel, "launch__shared_mem_per_block_static");
  const auto dynamic = metric_number(trace, kernel, "launch__shared_mem_per_block_dynamic");
  if (fixed && dynamic && *fixed + *dynamic <= 0) return MemoryPart::l1;
  auto shared = number("_mem_shared.sum");
  auto all = number(".sum");
  if (!shared || !all) {
    shared = number("_mem_shared.sum.pct_of_peak_sustained_elapsed");
    all = number(kOfPeak);
  }
  if (!shared || !all) return MemoryPart::l1_or_shared;
  return 2 * *shared >= *all ? MemoryPart::shared : MemoryPart::l1;
}

}  // namespace

std::string_view name_of(MemoryPart part) {
  constexpr std::array<std::string_view, 7> kNames = {
      "", "DRAM", "L2", "L1", "shared memory", "L1 or shared memory", "host memory"};
  return kNames[static_cast<size_t>(part)];
}

std::optional<BusyUnit> busiest_memory(const Trace& trace, const KernelProfile& kernel) {
  auto busiest = busiest_part(trace, kernel, kMemoryThroughput);
  const auto level = busiest_level(trace, kernel);
  // L1's throughput is of the cycles in which it was active: a little more than another part is not more.
  constexpr double kClearLead = 10;
  const bool l1_leads =
      level && busiest && level->part == MemoryPart::l1 && level->percent >= busiest->percent + kClearLead;
  if (level && (!busiest || l1_leads)) busiest = level;
  if (busiest && busiest->part == MemoryPart::l1) busiest->part = l1_or_shared(trace, kernel);
  return busiest;
}

std::optional<BusyUnit> busiest_pipe(const Trace& trace, const KernelProfile& kernel) {
  return busiest_part(trace, kernel, kComputeThroughput);
}

std::string_view name_of_counter(std::string_view counter) {
  const auto* const found = std::ranges::find(kCounterNames, counter, &CounterName::counter);
  return found == kCounterNames.end() ? counter : found->name;
}

}  // namespace sonde
