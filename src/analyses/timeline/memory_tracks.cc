#include <algorithm>

#include <fmt/format.h>

#include "analyses/gpus/memory_use.h"
#include "analyses/timeline/track_builder.h"
#include "trace/columns.h"

namespace sonde {
namespace {

Track header_of(const TimelineSource& source, const MemoryUse& use) {
  const auto gpu = std::ranges::find(source.gpus.gpus, use.gpu, &Gpu::place);
  std::string label = fmt::format("{} memory in use", name_of(use.place));
  if (!use.gpu.empty() && gpu != source.gpus.gpus.end()) {
    return gpu_track(source.trace, source.gpus, static_cast<uint32_t>(gpu - source.gpus.gpus.begin()),
                     TrackKind::counter, std::move(label));
  }
  Track track;
  track.kind = TrackKind::counter;
  track.label = std::move(label);
  track.path = rank_path(source.trace, use.rank);
  track.path.push_back(use.gpu.empty() ? std::string("Host memory") : use.gpu);
  track.place = use.gpu;
  track.rank = use.rank;
  track.order = {use.rank, kCounterPart, 0, 0};
  return track;
}

}  // namespace

/// Memory in use over time.
void add_memory_tracks(const TimelineSource& source, Timeline& timeline) {
  if (row_count(source.trace.allocations) == 0) return;
  for (const MemoryUse& use : memory_uses(source.trace)) {
    Track track = header_of(source, use);
    CounterLine line;
    line.unit = "bytes";
    line.time = use.time;
    line.value.assign(use.bytes.begin(), use.bytes.end());
    track.events = static_cast<int64_t>(line.time.size());
    track.counter = std::move(line);
    timeline.tracks.push_back(std::move(track));
  }
}

}  // namespace sonde
