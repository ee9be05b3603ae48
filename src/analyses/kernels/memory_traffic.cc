#include "analyses/kernels/memory_traffic.h"

#include <array>

#include "metrics/counter_value.h"

namespace sonde {
namespace {

/// A counter of a memory level's traffic and the bytes of each count.
struct TrafficCounter {
  MemoryLevel level;
  std::string_view counter;
  double bytes;
};

// By level, newest first: charts of Nsight Compute from 2025, 2023.1 (L2: l1tex__m_xbar2l1tex_read_bytes) and 2020
// (t_bytes). A writeback of L1 has 128 bytes, a cycle of the L2-to-SM crossbar 32. The two of L2 above t_bytes count
// what L2 sends to the SMs, t_bytes all that it is asked for.
constexpr std::array kTraffic = {
    TrafficCounter{MemoryLevel::l1, "l1tex__lsu_writeback_active_mem_lg", 128},
    TrafficCounter{MemoryLevel::l1, "l1tex__t_bytes", 1},
    TrafficCounter{MemoryLevel::l1_and_shared, "l1tex__lsu_writeback_active_mem_lgds", 128},
    TrafficCounter{MemoryLevel::l2, "lts__lts2xbar_cycles_active", 32},
    TrafficCounter{MemoryLevel::l2, "l1tex__m_xbar2l1tex_read_bytes", 1},
    TrafficCounter{MemoryLevel::l2, "lts__t_bytes", 1},
    TrafficCounter{MemoryLevel::dram, "dram__bytes", 1},
};

}  // namespace

std::string_view name_of(MemoryLevel level) {
  switch (level) {
    case MemoryLevel::l1: return "L1/TEX";
    case MemoryLevel::l1_and_shared: return "L1/TEX and shared";
    case MemoryLevel::l2: return "L2";
    case MemoryLevel::dram: return "DRAM";
  }
  return {};
}

MemoryTraffic memory_traffic(const Trace& trace, const KernelProfile& kernel, MemoryLevel level) {
  MemoryTraffic traffic;
  traffic.level = level;
  for (const TrafficCounter& c : kTraffic) {
    if (c.level != level) continue;
    traffic.bytes_per_second = scaled(counter_per_second(trace, kernel, c.counter), c.bytes);
    if (!traffic.is_measured()) continue;
    traffic.ceiling_bytes_per_second = scaled(counter_peak_per_second(trace, kernel, c.counter), c.bytes);
    break;
  }
  return traffic;
}

std::vector<MemoryTraffic> memory_traffic(const Trace& trace, const KernelProfile& kernel) {
  std::vector<MemoryTraffic> levels;
  for (const auto level : {MemoryLevel::l1, MemoryLevel::l1_and_shared, MemoryLevel::l2, MemoryLevel::dram}) {
    const MemoryTraffic traffic = memory_traffic(trace, kernel, level);
    if (traffic.is_measured()) levels.push_back(traffic);
  }
  return levels;
}

}  // namespace sonde
