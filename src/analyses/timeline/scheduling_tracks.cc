#include <map>

#include <fmt/format.h>

#include "analyses/steps/thread_times.h"
#include "analyses/timeline/track_builder.h"
#include "trace/columns.h"

namespace sonde {

/// When each thread was on a core.
void add_scheduling_tracks(const TimelineSource& source, Timeline& timeline) {
  const Trace& trace = source.trace;
  if (row_count(trace.switches) == 0) return;
  std::map<ThreadId, TrackBuilder> builders;
  for (const OnCore& on : times_on_cores(trace)) {
    if (on.thread >= trace.threads.size()) continue;
    auto found = builders.find(on.thread);
    if (found == builders.end()) {
      found =
          builders.try_emplace(on.thread, timeline, thread_track(trace, on.thread, TrackKind::scheduling, "On a core"))
              .first;
    }
    TrackBuilder& builder = found->second;
    builder.add({on.span.first, on.span.second,
                 builder.name(on.cpu == kUnknown32 ? std::string("running") : fmt::format("CPU {}", on.cpu),
                              SliceCategory::running)});
  }
  for (auto& [thread, builder] : builders) timeline.tracks.push_back(std::move(builder).finish());
}

}  // namespace sonde
