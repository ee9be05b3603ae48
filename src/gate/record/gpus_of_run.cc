#include <algorithm>

#include "analyses/gpus/communication.h"
#include "analyses/gpus/memory_use.h"
#include "gate/record/run_part.h"

namespace sonde::gate {
namespace {

/// Of each window the part that merged spans cover.
std::vector<int64_t> covered(std::span<const Span> windows, std::span<const Span> spans) {
  std::vector<int64_t> ns(windows.size(), 0);
  size_t first = 0;
  for (size_t w = 0; w < windows.size(); ++w) {
    while (first < spans.size() && spans[first].second <= windows[w].first) ++first;
    for (size_t i = first; i < spans.size() && spans[i].first < windows[w].second; ++i) {
      ns[w] += std::min(spans[i].second, windows[w].second) - std::max(spans[i].first, windows[w].first);
    }
  }
  return ns;
}

std::vector<Span> joined(std::vector<Span> a, const std::vector<Span>& b) {
  a.insert(a.end(), b.begin(), b.end());
  merge_spans(a);
  return a;
}

std::vector<int64_t> differences(std::vector<int64_t> a, const std::vector<int64_t>& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return a;
}

void fill_times(const RunPart& part, const GpuActivity& activity, GpuOfRun& gpu) {
  const std::vector<Span> kernels = joined(activity.compute, activity.communication);
  gpu.communication_ns = covered_ns(part.extent, activity.communication);
  gpu.exposed_communication_ns = covered_ns(part.extent, kernels) - covered_ns(part.extent, activity.compute);
  gpu.step_busy_ns = covered(part.windows, joined(kernels, activity.copies));
  gpu.step_communication_ns = covered(part.windows, activity.communication);
  gpu.step_exposed_communication_ns =
      differences(covered(part.windows, kernels), covered(part.windows, activity.compute));
}

/// Of device memory over the whole run: what a warm-up takes must fit too.
void fill_peaks(const RunPart& part, std::vector<GpuOfRun>& gpus) {
  for (const MemoryUse& use : memory_uses(part.trace)) {
    if (use.place != MemoryPlace::device) continue;
    for (size_t i = 0; i < gpus.size(); ++i) {
      const Gpu& gpu = part.gpus.gpus[i];
      const bool same = use.device == kNone ? use.ordinal == gpu.ordinal : use.device == gpu.device;
      if (use.rank != gpu.rank || !same) continue;
      gpus[i].peak_memory_bytes = gpus[i].peak_memory_bytes.value_or(0) + peak_of(use).bytes;
    }
  }
}

}  // namespace

std::vector<GpuOfRun> gpus_of_run(const RunPart& part) {
  const auto activity = gpu_activity(part.trace, part.gpus, communication_kinds(part.trace));
  const auto clocks = sm_clocks(part);
  std::vector<GpuOfRun> gpus;
  for (size_t i = 0; i < part.gpus.gpus.size(); ++i) {
    GpuOfRun& gpu = gpus.emplace_back();
    gpu.place = part.gpus.gpus[i].place;
    gpu.ordinal = part.gpus.gpus[i].ordinal;
    gpu.name = part.gpus.gpus[i].name;
    gpu.busy_ns = part.shares.busy_ns[i];
    gpu.sm_clock_hz = clocks[i];
    fill_times(part, activity[i], gpu);
  }
  fill_peaks(part, gpus);
  return gpus;
}

}  // namespace sonde::gate
