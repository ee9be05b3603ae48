#include <map>

#include "analyses/timeline/track_builder.h"
#include "trace/columns.h"

namespace sonde {

void add_mark_tracks(const TimelineSource& source, Timeline& timeline) {
  const Marks& m = source.trace.marks;
  std::map<ThreadId, TrackBuilder> builders;
  for (Row row = 0; row < row_count(m); ++row) {
    if (m.thread[row] >= source.trace.threads.size()) continue;
    auto found = builders.find(m.thread[row]);
    if (found == builders.end()) {
      found =
          builders
              .try_emplace(m.thread[row], timeline, thread_track(source.trace, m.thread[row], TrackKind::mark, "Marks"))
              .first;
    }
    found->second.add({m.start[row], m.start[row], found->second.name(source.trace, m.name[row], SliceCategory::mark)});
  }
  for (auto& [thread, builder] : builders) timeline.tracks.push_back(std::move(builder).finish());
}

}  // namespace sonde
