#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyses/calls/api_kind.h"
#include "analyses/gpus/busy_time.h"
#include "analyses/gpus/gpus.h"
#include "analyses/steps/warm_up.h"
#include "analyses/timeline/slice_category.h"
#include "trace/string_pool.h"

/// A run as people look at it: tracks of slices below one another.
namespace sonde {

enum class TrackKind : uint8_t {
#define SONDE_TRACK_KIND(name) name,
#include "analyses/timeline/track_kinds.inc"
#undef SONDE_TRACK_KIND
};

[[nodiscard]] std::string_view name_of(TrackKind kind);

/// What slices of a track are called. Ids of Timeline::texts.
struct TrackName {
  NameId text = kNone;  ///< as the statistics have it
  SliceCategory category = SliceCategory::call;
  NameId shown = kNone;  ///< a shorter one for where there is little room; kNone: the same
};

/// Names and values for people. "bytes" is a plain number.
using SliceDetail = std::vector<std::pair<std::string, std::string>>;

/// Row by row; in each by start and without overlaps.
struct TrackSlices {
  Times start;  ///< the trace's time
  Times end;
  Ids name;    ///< of Track::names
  Ids detail;  ///< of Track::details; kNone
  Ids call;    ///< row of `api`: of what runs on a GPU the launching call, of a call itself; kNone
  template <typename = void>
  auto columns() {
    return std::tie(start, end, name, detail, call);
  }
  template <typename = void>
  auto columns() const {
    return std::tie(start, end, name, detail, call);
  }
};

/// A slice that stands for events that follow one another, its name being the one with the most time.
struct MergedSlice {
  uint32_t index = 0;  ///< of the track's slices
  int64_t count = 0;
  int64_t busy_ns = 0;  ///< sum of the durations
};

/// A value holds from its time to the next. At least one is known.
struct CounterLine {
  std::string unit;
  Times time;
  std::vector<double> value;  ///< finite; NaN where absent
};

/// What tracks belong to, from the top of a rank down.
enum TrackPart : uint8_t { kStepPart, kGpuPart, kThreadPart, kCounterPart };

struct Track {
  TrackKind kind = TrackKind::range;
  std::string label;              ///< "Stream 7", "CUDA API"
  std::vector<std::string> path;  ///< headings above it, from the outside
  std::string place;              ///< as findings name it: "GPU 0", "thread 1234"
  RankId rank = 0;
  std::array<int64_t, 4> order{};  ///< where it stands: rank, TrackPart, which of them, kind; the smallest first

  int64_t events = 0;
  int64_t total_ns = 0;  ///< sum of the durations of its events
  std::vector<TrackName> names;
  std::vector<SliceDetail> details;
  std::vector<uint32_t> rows;  ///< slices of each
  TrackSlices slices;
  std::vector<MergedSlice> merged;  ///< by index
  std::optional<CounterLine> counter;
};

/// What tracks are made of. All of it must outlive the call.
struct TimelineSource {
  const Trace& trace;
  const Gpus& gpus;
  const std::vector<KernelClass>& kernel_classes;
  const std::vector<CommunicationKind>& communication;
  const std::vector<ApiKind>& api_kinds;
  Span extent;  ///< of the run
  const std::vector<RankTurns>& steps;
  int64_t first_step = 0;  ///< the number of the first of these: what came before it is warm-up
};

struct Timeline {
  Span extent;  ///< of the run
  StringPool texts;
  std::vector<Track> tracks;  ///< as they stand below one another
};

/// All tracks with every event.
[[nodiscard]] Timeline timeline_of(const TimelineSource& source);

/// What timeline_of() shows where the profile has it.
[[nodiscard]] Fields timeline_fields();

}  // namespace sonde
