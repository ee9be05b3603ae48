#include <algorithm>
#include <cmath>

#include "analyses/kernels/counter_means.h"
#include "analyses/timeline/track_builder.h"
#include "trace/columns.h"

namespace sonde {
namespace {

Track header_of(const TimelineSource& source, const Counter& counter, uint32_t gpu) {
  const std::string label(source.trace.name(counter.name));
  if (gpu != kNone) return gpu_track(source.trace, source.gpus, gpu, TrackKind::counter, label);
  Track track;
  track.kind = TrackKind::counter;
  track.label = label;
  track.path = rank_path(source.trace, counter.rank);
  track.path.emplace_back("Counters");
  track.rank = counter.rank;
  track.order = {counter.rank, kCounterPart, 0, 0};
  return track;
}

}  // namespace

/// What was sampled over time: GPU metrics, and what a framework counts.
void add_counter_tracks(const TimelineSource& source, Timeline& timeline) {
  const Trace& trace = source.trace;
  const CounterValues& values = trace.counter_values;
  if (row_count(values) == 0) return;
  const std::vector<uint32_t> gpus = gpus_of_counters(trace, source.gpus);
  constexpr auto kAbsent = absent_value<double>();
  std::vector<CounterLine> lines(trace.counters.size());
  for (Row row = 0; row < row_count(values); ++row) {
    lines[values.counter[row]].time.push_back(values.start[row]);
    lines[values.counter[row]].value.push_back(std::isfinite(values.value[row]) ? values.value[row] : kAbsent);
  }
  for (size_t c = 0; c < lines.size(); ++c) {
    if (std::ranges::all_of(lines[c].value, [](double value) { return std::isnan(value); })) continue;
    Track track = header_of(source, trace.counters[c], gpus[c]);
    lines[c].unit = trace.name(trace.counters[c].unit);
    track.events = static_cast<int64_t>(lines[c].time.size());
    track.counter = std::move(lines[c]);
    timeline.tracks.push_back(std::move(track));
  }
}

}  // namespace sonde
