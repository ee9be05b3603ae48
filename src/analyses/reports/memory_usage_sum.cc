#include "analyses/gpus/memory_use.h"
#include "analyses/steps/run_steps.h"
#include "analyses/tables/report_table.h"

namespace sonde {

extern const StatsReport memory_usage_sum_report;

namespace memory_usage_sum {
namespace {

Fields fields(const ReportArguments&) { return kStepFields | Fields{Field::allocations}; }

double of_capacity(const Trace& trace, const MemoryUse& use, int64_t bytes) {
  if (use.device == kNone || use.place != MemoryPlace::device) return kAbsent;
  const auto capacity = trace.devices[use.device].total_memory_bytes;
  return capacity && *capacity > 0 ? 100 * static_cast<double>(bytes) / static_cast<double>(*capacity) : kAbsent;
}

void add_levels(Table& table, const Trace& trace, const std::vector<MemoryUse>& uses) {
  auto& first = table.integers("First", Unit::bytes);
  auto& peak = table.integers("Peak", Unit::bytes);
  auto& peak_time = table.integers("Peak Time", Unit::nanoseconds);
  auto& capacity = table.reals("Capacity", Unit::percent, 1);
  auto& reserved = table.integers("Peak Reserved", Unit::bytes);
  auto& last = table.integers("Last", Unit::bytes);
  for (const MemoryUse& use : uses) {
    const MemoryPeak highest = peak_of(use);
    first.push_back(use.start_bytes);
    peak.push_back(highest.bytes);
    peak_time.push_back(highest.time_ns);
    capacity.push_back(of_capacity(trace, use, highest.bytes));
    reserved.push_back(use.peak_reserved_bytes);
    last.push_back(use.bytes.back());
  }
}

void add_growth(Table& table, const Trace& trace, const std::vector<MemoryUse>& uses) {
  const std::vector<Span> steps = steady_steps(trace);
  auto& count = table.integers("Steps");
  auto& growth = table.reals("Step Growth", Unit::bytes, 1);
  auto& error = table.reals("Growth StdErr", Unit::bytes, 1);
  for (const MemoryUse& use : uses) {
    const LinearTrend trend = growth_per_step(use, steps);
    count.push_back(static_cast<int64_t>(steps.size()));
    growth.push_back(trend.slope);
    error.push_back(trend.standard_error);
  }
}

void add_events(Table& table, const std::vector<MemoryUse>& uses) {
  auto& allocations = table.integers("Allocations");
  auto& releases = table.integers("Releases");
  auto& kept = table.integers("Not Released");
  auto& kept_bytes = table.integers("Not Released Size", Unit::bytes);
  for (const MemoryUse& use : uses) {
    allocations.push_back(use.allocations);
    releases.push_back(use.releases);
    kept.push_back(use.not_released);
    kept_bytes.push_back(use.not_released_bytes);
  }
}

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table = table_of(memory_usage_sum_report);
  const std::vector<MemoryUse> uses = memory_uses(trace);
  add_levels(table, trace, uses);
  add_growth(table, trace, uses);
  add_events(table, uses);
  auto& memory = table.texts("Memory");
  auto& gpu = table.texts("GPU");
  for (const MemoryUse& use : uses) {
    memory.push_back(name_of(use.place));
    gpu.push_back(use.gpu.empty() ? std::string_view() : table.keep(use.gpu));
  }
  return table;
}

}  // namespace
}  // namespace memory_usage_sum

const StatsReport memory_usage_sum_report{
    .name = "memory_usage_sum",
    .usage = "memory_usage_sum",
    .title = "Memory Usage Summary",
    .description = R"(Memory in use on each GPU and on the host, and its growth from step to step.

First          in use before the first event. Earlier allocations are known if PyTorch's allocator reports its total;
               otherwise only memory that is freed without a recorded allocation counts. --filter-time has the same effect
               as a later start of the recording
Peak, Peak Time  maximum in use, and when it was first reached; - if that was before the first event
Capacity (%)   Peak as a percentage of the GPU's memory
Peak Reserved  maximum that PyTorch's allocator reserved from the driver, in use or not
Last           in use after the last event
Steps          number of steps: iterations of the run's loop, without warm-up (see `sonde modules`)
Step Growth, Growth StdErr  slope of the line through the memory in use at the end of each step, and its standard error
Allocations, Releases  number of allocations and frees
Not Released, Not Released Size  allocations that no later event frees
Memory         Device (arrays and static variables among it), Managed, Pinned, Pageable, or Host (PyTorch's CPU tensors)
GPU            the GPU

The memory of all processes on a GPU is added. This report is specific to Sonde.)",
    .data = "memory usage (nsys: --cuda-memory-usage=true, torch.profiler: profile_memory=True)",
    .in_default_set = false,
    .fields = memory_usage_sum::fields,
    .run = memory_usage_sum::run,
};

}  // namespace sonde
