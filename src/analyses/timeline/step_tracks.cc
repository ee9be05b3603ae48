#include <fmt/format.h>

#include "analyses/timeline/track_builder.h"

namespace sonde {

void add_step_tracks(const TimelineSource& source, Timeline& timeline) {
  for (const RankTurns& of_rank : source.steps) {
    Track header;
    header.kind = TrackKind::step;
    header.label = "Steps";
    header.path = rank_path(source.trace, of_rank.rank);
    header.rank = of_rank.rank;
    header.order = {of_rank.rank, kStepPart, 0, 0};
    TrackBuilder builder(timeline, std::move(header));
    for (size_t i = 0; i < of_rank.steady.size(); ++i) {
      const auto [start, end] = of_rank.steady[i];
      builder.add(
          {start, end,
           builder.name(fmt::format("step {}", source.first_step + static_cast<int64_t>(i)), SliceCategory::step)});
    }
    if (!builder.empty()) timeline.tracks.push_back(std::move(builder).finish());
  }
}

}  // namespace sonde
