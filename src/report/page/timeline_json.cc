#include "report/page/timeline_json.h"

#include <algorithm>
#include <cmath>
#include <ranges>

#include "analyses/timeline/timeline_reduction.h"
#include "base/system/parallel.h"
#include "base/text/text_width.h"
#include "report/page/column_blob.h"
#include "trace/columns.h"

namespace sonde {
namespace {

using Json = nlohmann::ordered_json;

/// A slice takes 5 to 7 bytes in the page, and 50 in a browser's memory.
constexpr size_t kMaxSlices = 3'000'000;
/// Fewer are not worth another try: the room goes to something else then.
constexpr size_t kMinSlices = 10'000;
/// Names are packed to a tenth of this. Kernels' names are distinguished by this many characters nearly always.
constexpr size_t kMaxTextBytes = 16'000'000;
constexpr size_t kShortestText = 80;
/// What merging makes of slices takes more room each than they did.
constexpr double kShrink = 0.9;
/// Around where a finding shows, this much is kept in detail too: what led there.
constexpr int64_t kMinRoomNs = 20'000;

/// Where each row of `api` stands, for what it launched.
struct CallPlaces {
  std::vector<uint32_t> track;  ///< kNone where it has no slice of its own
  std::vector<uint32_t> index;
};

CallPlaces call_places(const Trace& trace, const Timeline& timeline) {
  const size_t calls = row_count(trace.api);
  CallPlaces places{std::vector<uint32_t>(calls, kNone), std::vector<uint32_t>(calls, kNone)};
  for (uint32_t t = 0; t < timeline.tracks.size(); ++t) {
    const Track& track = timeline.tracks[t];
    if (track.kind != TrackKind::api) continue;
    for (uint32_t i = 0; i < track.slices.call.size(); ++i) {
      const Row call = track.slices.call[i];
      if (call == kNone) continue;
      places.track[call] = t;
      places.index[call] = i;
    }
  }
  return places;
}

/// From the end of the slice before in its row to each slice's start.
Longs gaps_of(const Track& track, int64_t origin_ns) {
  const TrackSlices& s = track.slices;
  Longs gaps(s.start.size());
  size_t i = 0;
  for (const uint32_t count : track.rows) {
    int64_t before = origin_ns;
    for (const size_t end = i + count; i < end; ++i) {
      gaps[i] = s.start[i] - before;
      before = s.end[i];
    }
  }
  return gaps;
}

Longs durations_of(const TrackSlices& s) {
  Longs durations(s.start.size());
  for (size_t i = 0; i < durations.size(); ++i) durations[i] = s.end[i] - s.start[i];
  return durations;
}

/// 1 + each, 0 for kNone.
Longs plus_one(const Ids& ids) {
  Longs values(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) values[i] = ids[i] == kNone ? 0 : int64_t{ids[i]} + 1;
  return values;
}

void add_launches(ColumnBlob& columns, const Track& track, const CallPlaces& places) {
  Longs tracks;
  Longs indexes;
  int64_t last = 0;  // where nothing is known the column stays as it is, which costs least
  bool any = false;
  for (const Row call : track.slices.call) {
    const bool known = call != kNone && places.track[call] != kNone;
    tracks.push_back(known ? int64_t{places.track[call]} + 1 : 0);
    last = known ? places.index[call] : last;
    indexes.push_back(last);
    any = any || known;
  }
  if (!any) return;
  columns.deltas("launch_track", tracks);
  columns.deltas("launch", indexes);
}

void add_merged(ColumnBlob& columns, const std::vector<MergedSlice>& merged) {
  if (merged.empty()) return;
  Longs at;
  Longs count;
  Longs busy;
  for (const MergedSlice& m : merged) {
    at.push_back(m.index);
    count.push_back(m.count);
    busy.push_back(m.busy_ns);
  }
  columns.deltas("merged_at", at);
  columns.varints("merged_count", count);
  columns.varints("merged_busy_ns", busy);
}

ColumnBlob slice_columns(const Track& track, int64_t origin_ns, const CallPlaces& places) {
  ColumnBlob columns;
  columns.varints("gap", gaps_of(track, origin_ns));
  columns.varints("duration", durations_of(track.slices));
  columns.varints("name", Longs(track.slices.name.begin(), track.slices.name.end()));
  if (!track.details.empty()) columns.varints("detail", plus_one(track.slices.detail));
  if (track.kind == TrackKind::gpu) add_launches(columns, track, places);
  add_merged(columns, track.merged);
  return columns;
}

ColumnBlob counter_columns(const CounterLine& line, int64_t origin_ns) {
  Longs time = line.time;
  for (int64_t& t : time) t -= origin_ns;
  ColumnBlob columns;
  columns.deltas("time", time);
  columns.reals("value", line.value);
  return columns;
}

Json details_json(const std::vector<SliceDetail>& details) {
  Json list = Json::array();
  for (const SliceDetail& detail : details) {
    Json pairs = Json::array();
    for (const auto& [name, value] : detail) pairs.push_back(Json::array({name, value}));
    list.push_back(std::move(pairs));
  }
  return list;
}

Json names_json(const std::vector<TrackName>& names) {
  Json list = Json::array();
  for (const TrackName& name : names) {
    Json entry = Json::array({name.text, name_of(name.category)});
    if (name.shown != kNone) entry.push_back(name.shown);
    list.push_back(std::move(entry));
  }
  return list;
}

Json counter_json(const CounterLine& line) {
  auto known = line.value | std::views::filter([](double value) { return !std::isnan(value); });
  const auto [least, greatest] = std::ranges::minmax(known);
  return {{"unit", line.unit}, {"minimum", least}, {"maximum", greatest}};
}

Json track_json(const Track& track, size_t id, RankId ranks, ColumnBlob columns, Blobs& blobs) {
  return {{"id", id},
          {"kind", name_of(track.kind)},
          {"label", track.label},
          {"path", track.path},
          {"place", track.place},
          {"rank", std::min(track.rank, ranks - 1)},
          {"events", track.events},
          {"total_ns", track.total_ns},
          {"rows", track.counter ? Json::array({track.counter->time.size()}) : Json(track.rows)},
          {"names", names_json(track.names)},
          {"details", track.details.empty() ? Json(nullptr) : blobs.add(details_json(track.details))},
          {"data", std::move(columns).finish(blobs)},
          {"counter", track.counter ? counter_json(*track.counter) : Json(nullptr)}};
}

Json tracks_json(const ReportSource& source, const Timeline& timeline, Blobs& blobs) {
  const CallPlaces places = call_places(source.trace, timeline);
  std::vector<ColumnBlob> columns(timeline.tracks.size());
  parallel_for(columns.size(), [&](size_t t) {
    const Track& track = timeline.tracks[t];
    columns[t] = track.counter ? counter_columns(*track.counter, source.origin_ns())
                               : slice_columns(track, source.origin_ns(), places);
  });
  Json tracks = Json::array();
  const auto ranks = static_cast<RankId>(std::max<size_t>(1, source.trace.ranks.size()));
  for (size_t t = 0; t < timeline.tracks.size(); ++t) {
    tracks.push_back(track_json(timeline.tracks[t], t, ranks, std::move(columns[t]), blobs));
  }
  return tracks;
}

/// Whole, unless all of them together would fill the page.
Json texts_json(const StringPool& texts) {
  const size_t longest = texts.bytes() <= kMaxTextBytes ? texts.bytes() : kMaxTextBytes / texts.size() + kShortestText;
  Json list = Json::array();
  for (NameId id = 0; id < texts.size(); ++id) list.push_back(cut_middle(texts.view(id), longest));
  return list;
}

Json ranks_json(const Trace& trace) {
  if (trace.ranks.size() <= 1) return Json::array({""});
  Json names = Json::array();
  for (size_t r = 0; r < trace.ranks.size(); ++r) {
    names.push_back(fmt::format("rank {}", trace.ranks[r].rank.value_or(static_cast<int>(r))));
  }
  return names;
}

Json tiles_json(const std::optional<TileSums>& tiles, Blobs& blobs) {
  if (!tiles) return nullptr;
  ColumnBlob columns;
  columns.deltas("track", tiles->track);
  columns.deltas("name", tiles->name);
  columns.deltas("tile", tiles->tile);
  columns.varints("count", tiles->count);
  columns.varints("total_ns", tiles->total_ns);
  return {{"tile_ns", tiles->tile_ns}, {"count", tiles->tiles}, {"data", std::move(columns).finish(blobs)}};
}

/// Where a reader will look closely: where findings show, and a usual step.
std::vector<Span> looked_at(const ReportSource& source) {
  std::vector<Span> spans;
  const auto& steps = source.facts.steps;
  if (steps && !steps->steady.empty()) {
    std::vector<Span> by_length = steps->steady;
    const auto middle = by_length.begin() + static_cast<ptrdiff_t>(by_length.size() / 2);
    std::ranges::nth_element(by_length, middle, {}, [](const Span& s) { return s.second - s.first; });
    spans.push_back(*middle);
  }
  for (size_t e = 0; e < kMaxEvidence; ++e) {
    for (const Finding& finding : source.diagnosis.findings) {
      if (e >= finding.evidence.size()) continue;
      const Evidence& shown = finding.evidence[e];
      const int64_t room = std::max(kMinRoomNs, shown.end_ns - shown.start_ns);
      spans.emplace_back(shown.start_ns - room, shown.end_ns + room);
    }
  }
  return spans;
}

Json spans_json(const std::vector<Span>& spans, const ReportSource& source) {
  Json list = Json::array();
  for (const Span& span : spans) {
    list.push_back(Json::array({std::max<int64_t>(0, span.first - source.origin_ns()),
                                std::min(source.span_ns(), span.second - source.origin_ns())}));
  }
  return list;
}

Json reduced_json(const ReportSource& source, const Timeline& timeline, const Reduction& reduction, Blobs& blobs) {
  int64_t events = 0;
  for (const Track& track : timeline.tracks) {
    // Steps, idle time and projections are worked out, not recorded.
    const bool derived =
        track.kind == TrackKind::step || track.kind == TrackKind::idle || track.kind == TrackKind::projection;
    if (!derived) events += track.events;
  }
  return {{"texts", blobs.add(texts_json(timeline.texts))},
          {"ranks", ranks_json(source.trace)},
          {"tracks", tracks_json(source, timeline, blobs)},
          {"events", events},
          {"slices", slices_of(timeline)},
          {"detailed", spans_json(reduction.detailed, source)},
          {"tiles", tiles_json(reduction.tiles, blobs)}};
}

}  // namespace

Json timeline_json(ReportSource& source, size_t room, Blobs& blobs) {
  Timeline timeline = std::move(source.timeline);
  const std::vector<Span> wanted = looked_at(source);
  const size_t first = blobs.size();
  Reduction reduction;
  size_t before = 0;
  for (size_t most = kMaxSlices;;) {
    reduce(timeline, wanted, most, reduction);
    Json json = reduced_json(source, timeline, reduction, blobs);
    const size_t slices = slices_of(timeline);
    // Thousands of tracks have a list that is longer than their slices.
    const size_t bytes = blobs.bytes_from(first) + json.dump(-1, ' ', false, Json::error_handler_t::replace).size();
    most = static_cast<size_t>(kShrink * static_cast<double>(slices) * static_cast<double>(room) /
                               static_cast<double>(bytes));
    const bool can_shrink = slices != before && most >= kMinSlices;
    if (bytes <= room || !can_shrink) return json;
    before = slices;
    blobs.drop_from(first);
  }
}

}  // namespace sonde
