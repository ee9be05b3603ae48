#include "analyses/memory/memory_peak.h"
#include "analyses/tables/report_table.h"

namespace sonde {

extern const StatsReport memory_peak_sum_report;

namespace memory_peak_sum {
namespace {

Fields fields(const ReportArguments&) { return kMemoryStackFields; }

std::string_view text_or_absent(Table& table, const std::string& text) {
  return text.empty() ? std::string_view() : table.keep(text);
}

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table = table_of(memory_peak_sum_report);
  auto& share = table.reals("Peak", Unit::percent, 1);
  auto& size = table.integers("Size", Unit::bytes);
  auto& allocations = table.integers("Allocations");
  auto& largest = table.integers("Largest", Unit::bytes);
  auto& role = table.texts("Role");
  auto& module = table.texts("Module");
  auto& op = table.texts("Operator");
  auto& stack = table.texts("Call Stack");
  auto& gpu = table.texts("GPU");
  for (const MemoryAtPeak& peak : memory_at_peaks(trace)) {
    const std::string_view place = table.keep(peak.gpu);
    for (const HeldMemory& held : peak.held) {
      const bool counted = held.role != MemoryRole::earlier;
      share.push_back(peak.bytes > 0 ? 100 * static_cast<double>(held.bytes) / static_cast<double>(peak.bytes)
                                     : kAbsent);
      size.push_back(held.bytes);
      allocations.push_back(counted ? held.allocations : kUnknown);
      largest.push_back(counted ? held.largest_bytes : kUnknown);
      role.push_back(name_of(held.role));
      module.push_back(text_or_absent(table, held.module));
      op.push_back(text_or_absent(table, held.op));
      stack.push_back(text_or_absent(table, held.stack));
      gpu.push_back(place);
    }
  }
  return table;
}

}  // namespace
}  // namespace memory_peak_sum

const StatsReport memory_peak_sum_report{
    .name = "memory_peak_sum",
    .usage = "memory_peak_sum",
    .title = "Memory Peak Summary",
    .description = R"(What holds each GPU's memory when most of it is allocated (Peak Time of `memory_usage_sum`).

Peak (%)       Size as a percentage of the memory in use at the peak
Size           memory in use at the peak
Allocations, Largest  number of allocations and the size of the largest; - if it was allocated before the recording
Role           Activation: allocated in the forward pass, freed in the backward pass. Gradient: allocated in the backward
               pass and kept beyond it. Optimizer State: allocated in an optimizer's step and not freed in it. Temporary:
               freed in the phase in which it was allocated. Before Recording: allocated before the first event. Unknown:
               anything else, for example memory that is never freed, such as parameters
Module         PyTorch modules or NVTX ranges around the allocation, numbers as #. A backward operator counts for the module
               of its forward operator
Operator       innermost operator, or the API call that allocated the memory
Call Stack     functions of the program, innermost first, if stacks were recorded
GPU            the GPU

The sizes of a GPU add up to its peak. This report is specific to Sonde.)",
    .data =
        "memory usage with addresses (torch.profiler: profile_memory=True, torch.cuda.memory._dump_snapshot(), "
        "nsys: --cuda-memory-usage=true)",
    .in_default_set = false,
    .fields = memory_peak_sum::fields,
    .run = memory_peak_sum::run,
};

}  // namespace sonde
