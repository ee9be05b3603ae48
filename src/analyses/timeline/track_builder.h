#pragma once

#include <functional>

#include <boost/unordered/unordered_flat_map.hpp>

#include "analyses/timeline/row_ends.h"
#include "analyses/timeline/timeline.h"
#include "base/text/bytes_hash.h"

namespace sonde {

/// Puts events into the rows of a track.
class TrackBuilder {
 public:
  /// `header`: what the track is; its slices are still to come.
  TrackBuilder(Timeline& timeline, Track header) : timeline_(timeline), track_(std::move(header)) {}

  /// The track's number of a name of the trace.
  uint32_t name(const Trace& trace, NameId id, SliceCategory category, NameId shown = kNone);
  /// The same of any text.
  uint32_t name(std::string_view text, SliceCategory category);

  /// The track's number of a detail. `key` tells it from others; `make` writes it when it is met first. Past
  /// kMaxDetails there are no new ones: kNone.
  uint32_t detail(std::string_view key, const std::function<SliceDetail()>& make);

  struct Event {
    int64_t start = 0;
    int64_t end = 0;
    uint32_t name = 0;
    uint32_t detail = kNone;
    Row call = kNone;
  };
  /// Events come by start. Puts one into the first row from `least_row` on that is free; gives that row. What lies
  /// outside of the run, as a thread's time on a core before the first event, is cut off.
  uint32_t add(const Event& event, uint32_t least_row = 0);

  [[nodiscard]] bool empty() const { return track_.events == 0; }
  [[nodiscard]] Track finish() &&;

 private:
  struct KeyHash : BytesHash {
    using is_transparent = void;
  };

  uint32_t add_name(const TrackName& name);

  Timeline& timeline_;
  Track track_;
  std::vector<TrackSlices> rows_;
  RowEnds ends_;
  boost::unordered_flat_map<std::pair<uint64_t, bool>, uint32_t> names_;
  boost::unordered_flat_map<std::string, uint32_t, KeyHash, std::equal_to<>> details_;
};

/// "rank 3" above the tracks of a rank where there are several; nothing for one.
[[nodiscard]] std::vector<std::string> rank_path(const Trace& trace, RankId rank);
/// "GPU 0 NVIDIA H100", below the rank.
[[nodiscard]] Track gpu_track(const Trace& trace, const Gpus& gpus, uint32_t gpu, TrackKind kind, std::string label);
/// A track of a thread, below its process.
[[nodiscard]] Track thread_track(const Trace& trace, ThreadId thread, TrackKind kind, std::string label);

// Each adds the tracks of one family. One file and one row of track_families.inc each.
#define SONDE_TRACK_FAMILY(name) void add_##name##_tracks(const TimelineSource& source, Timeline& timeline);
#include "analyses/timeline/track_families.inc"
#undef SONDE_TRACK_FAMILY

}  // namespace sonde
