#include "analyses/timeline/timeline.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "analyses/gpus/idle_time.h"
#include "analyses/timeline/track_builder.h"
#include "trace/columns.h"

namespace sonde {

namespace {

constexpr std::array kFamilies = {
#define SONDE_TRACK_FAMILY(name) add_##name##_tracks,
#include "analyses/timeline/track_families.inc"
#undef SONDE_TRACK_FAMILY
};

/// The place of each thread among all: what launched most GPU work comes first, its process' other threads behind it.
std::vector<int64_t> thread_places(const Trace& trace) {
  std::vector<int64_t> launches(trace.threads.size(), 0);
  for_each_gpu_table(trace, [&](const GpuOps& ops) {
    for (const Row call : ops.launch) {
      if (call != kNone && trace.api.thread[call] < launches.size()) ++launches[trace.api.thread[call]];
    }
  });
  std::vector<int64_t> of_process(trace.processes.size() + 1, 0);
  const auto process_of = [&](ThreadId t) {
    return std::min<size_t>(trace.threads[t].process, trace.processes.size());
  };
  for (ThreadId t = 0; t < launches.size(); ++t) of_process[process_of(t)] += launches[t];
  std::vector<ThreadId> order(launches.size());
  std::iota(order.begin(), order.end(), ThreadId{0});
  std::ranges::stable_sort(
      order, {}, [&](ThreadId t) { return std::tuple(-of_process[process_of(t)], process_of(t), -launches[t]); });
  std::vector<int64_t> places(order.size());
  for (size_t i = 0; i < order.size(); ++i) places[order[i]] = static_cast<int64_t>(i);
  return places;
}

void put_in_order(const Trace& trace, std::vector<Track>& tracks) {
  const std::vector<int64_t> places = thread_places(trace);
  for (Track& track : tracks) {
    if (track.order[1] == kThreadPart) track.order[2] = places[static_cast<size_t>(track.order[2])];
  }
  std::ranges::stable_sort(tracks, {}, &Track::order);
}

}  // namespace

std::string_view name_of(TrackKind kind) {
  static constexpr std::array kNames = {
#define SONDE_TRACK_KIND(name) std::string_view(#name),
#include "analyses/timeline/track_kinds.inc"
#undef SONDE_TRACK_KIND
  };
  return kNames.at(static_cast<size_t>(kind));
}

Timeline timeline_of(const TimelineSource& source) {
  Timeline timeline{.extent = source.extent, .texts = {}, .tracks = {}};
  for (const auto add : kFamilies) add(source, timeline);
  put_in_order(source.trace, timeline.tracks);
  return timeline;
}

Fields timeline_fields() {
  return kIdleFields | Fields{Field::kernel_short_names,
                              Field::kernel_grid,
                              Field::kernel_resources,
                              Field::copies,
                              Field::sets,
                              Field::range_details,
                              Field::marks,
                              Field::scheduling,
                              Field::counters,
                              Field::allocations,
                              Field::api_results};
}

}  // namespace sonde
