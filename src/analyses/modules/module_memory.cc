#include "analyses/modules/module_memory.h"

#include <algorithm>
#include <limits>

#include "analyses/gpus/memory_use.h"
#include "analyses/ranges/range_label.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// The device memory of one process.
struct OfProcess {
  std::vector<const MemoryUse*> uses;  ///< one for each GPU
  std::vector<MemoryPeaks> peaks;
};

std::vector<OfProcess> by_process(const Trace& trace, const std::vector<MemoryUse>& uses) {
  std::vector<OfProcess> found(trace.processes.size());
  for (const MemoryUse& use : uses) {
    if (use.place != MemoryPlace::device) continue;
    found[use.process].uses.push_back(&use);
    found[use.process].peaks.emplace_back(use);
  }
  return found;
}

void add_range(const OfProcess& memory, Span span, bool closed, ModuleMemory& sum) {
  for (size_t i = 0; i < memory.uses.size(); ++i) {
    ModuleMemory around{memory.peaks[i].within(span), kUnknown};
    if (closed) around.growth_bytes = memory.uses[i]->at(span.second) - memory.uses[i]->at(span.first);
    sum += around;
  }
}

}  // namespace

ModuleMemory& ModuleMemory::operator+=(const ModuleMemory& other) {
  peak_bytes = std::max(peak_bytes, other.peak_bytes);
  if (other.growth_bytes != kUnknown) {
    growth_bytes = (growth_bytes == kUnknown ? 0 : growth_bytes) + other.growth_bytes;
  }
  return *this;
}

std::vector<ModuleMemory> module_memory(const Trace& trace, const ModuleTree& tree) {
  const std::vector<MemoryUse> uses = memory_uses(trace, MemoryScope::per_process);
  const std::vector<OfProcess> processes = by_process(trace, uses);
  if (std::ranges::all_of(processes, [](const OfProcess& p) { return p.uses.empty(); })) return {};
  std::vector<ModuleMemory> memory(tree.modules.size());
  const Ranges& r = trace.ranges;
  for (Row row = 0; row < row_count(r); ++row) {
    if (tree.is_call[row] == 0 || r.thread[row] >= trace.threads.size()) continue;
    const bool closed = is_closed(r, row);
    const Span span{r.start[row], closed ? r.end[row] : std::numeric_limits<int64_t>::max()};
    add_range(processes[trace.threads[r.thread[row]].process], span, closed, memory[tree.of_range[row]]);
  }
  return memory;
}

}  // namespace sonde
