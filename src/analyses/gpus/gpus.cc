#include "analyses/gpus/gpus.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

namespace sonde {
namespace {

/// What tells one GPU from another.
using GpuKey = std::tuple<RankId, DeviceId, ProcessId, int32_t>;

GpuKey key_of(const Trace& trace, const Stream& stream) {
  const RankId rank = trace.processes[stream.process].rank;
  if (stream.device != kNone) return {rank, stream.device, kNone, 0};
  return {rank, kNone, stream.process, stream.ordinal};
}

std::vector<bool> streams_with_work(const Trace& trace) {
  std::vector<bool> found(trace.streams.size(), false);
  for_each_gpu_table(trace, [&](const GpuOps& ops) {
    for (const StreamId stream : ops.stream) found[stream] = true;
  });
  return found;
}

Gpu describe(const Trace& trace, const Stream& stream) {
  Gpu gpu;
  gpu.rank = trace.processes[stream.process].rank;
  gpu.ordinal = stream.ordinal;
  gpu.device = stream.device;
  gpu.place = gpu_place(trace, gpu.rank, stream.ordinal);
  if (stream.device != kNone) gpu.name = trace.devices[stream.device].name;
  return gpu;
}

}  // namespace

std::string gpu_place(const Trace& trace, RankId rank, int64_t ordinal) {
  std::string gpu = fmt::format("GPU {}", ordinal);
  if (trace.ranks.size() <= 1) return gpu;
  return fmt::format("rank {} {}", trace.ranks[rank].rank.value_or(static_cast<int>(rank)), gpu);
}

Gpus gpus_of(const Trace& trace) {
  Gpus all;
  std::map<GpuKey, uint32_t> found;
  const std::vector<bool> worked = streams_with_work(trace);
  for (StreamId s = 0; s < trace.streams.size(); ++s) {
    const Stream& stream = trace.streams[s];
    if (!worked[s]) {
      all.of_stream.push_back(kNone);
      continue;
    }
    const auto [at, fresh] = found.try_emplace(key_of(trace, stream), static_cast<uint32_t>(found.size()));
    if (fresh) all.gpus.push_back(describe(trace, stream));
    all.of_stream.push_back(at->second);
  }
  std::vector<uint32_t> order(all.gpus.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](uint32_t i) { return std::pair(all.gpus[i].rank, all.gpus[i].ordinal); });
  std::vector<uint32_t> place(order.size());
  std::vector<Gpu> sorted;
  for (const uint32_t i : order) {
    place[i] = static_cast<uint32_t>(sorted.size());
    sorted.push_back(std::move(all.gpus[i]));
  }
  all.gpus = std::move(sorted);
  for (uint32_t& gpu : all.of_stream) gpu = gpu == kNone ? kNone : place[gpu];
  return all;
}

std::vector<size_t> operation_count_by_stream(const Trace& trace) {
  std::vector<size_t> counts(trace.streams.size(), 0);
  for_each_gpu_table(trace, [&](const GpuOps& ops) {
    for (const StreamId stream : ops.stream) ++counts[stream];
  });
  return counts;
}

std::vector<size_t> operation_count_by_gpu(const Trace& trace, const Gpus& gpus) {
  const std::vector<size_t> of_streams = operation_count_by_stream(trace);
  std::vector<size_t> counts(gpus.gpus.size(), 0);
  for (StreamId stream = 0; stream < of_streams.size(); ++stream) {
    if (gpus.of_stream[stream] != kNone) counts[gpus.of_stream[stream]] += of_streams[stream];
  }
  return counts;
}

}  // namespace sonde
