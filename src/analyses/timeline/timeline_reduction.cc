#include "analyses/timeline/timeline_reduction.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/system/parallel.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// A row of the sums takes about as much room as half a slice.
constexpr size_t kSlicesOfTileRow = 8;

/// What may become one slice, and what stays.
struct Merging {
  int64_t origin_ns = 0;
  int64_t below_ns = 1;  ///< slices shorter than this, of one part of the run of this length
  std::vector<Span> detailed;

  [[nodiscard]] int64_t part_of(int64_t time_ns) const { return (time_ns - origin_ns) / below_ns; }
};

/// Calls `f(first, end)` for each group of slices of [begin, end) that become one; groups of one stay as they are.
template <typename F>
void for_each_group(const TrackSlices& s, size_t begin, size_t end, const Merging& merging, F&& f) {
  auto detailed = merging.detailed.begin();
  const auto may_merge = [&](size_t i) {
    while (detailed != merging.detailed.end() && detailed->second <= s.start[i]) ++detailed;
    const bool in_detail = detailed != merging.detailed.end() && s.end[i] >= detailed->first;
    return !in_detail && s.end[i] - s.start[i] < merging.below_ns;
  };
  for (size_t i = begin; i < end;) {
    size_t next = i + 1;
    if (may_merge(i)) {
      const int64_t part = merging.part_of(s.start[i]);
      const auto span_behind = detailed;  // a slice that reaches across it would be seen in it
      while (next < end && merging.part_of(s.start[next]) == part && may_merge(next) && detailed == span_behind) ++next;
    }
    f(i, next);
    i = next;
  }
}

/// What surrounds the work, and the short pauses within it, give up detail before the work does.
constexpr int64_t kSurroundings = 4;

Merging merging_of(const Track& track, Merging merging) {
  switch (track.kind) {
    case TrackKind::step:
    case TrackKind::gpu:
    case TrackKind::projection:
    case TrackKind::range:
    case TrackKind::mark:
    case TrackKind::api: return merging;
    default: merging.below_ns *= kSurroundings; return merging;
  }
}

/// The points of [begin, end) with the least and the greatest value; `begin` where none has any.
std::pair<size_t, size_t> extremes_of(const std::vector<double>& values, size_t begin, size_t end) {
  size_t least = begin;
  size_t greatest = begin;
  for (size_t i = begin; i < end; ++i) {
    if (std::isnan(values[least]) || values[i] < values[least]) least = i;
    if (std::isnan(values[greatest]) || values[i] > values[greatest]) greatest = i;
  }
  return {least, greatest};
}

template <typename F>
void for_each_row(const Track& track, F&& f) {
  size_t begin = 0;
  for (const uint32_t count : track.rows) {
    f(begin, begin + count);
    begin += count;
  }
}

/// Calls `f(point)` for what is kept of a counter: first, last, least and greatest value of each part of the run.
template <typename F>
void for_each_kept_point(const CounterLine& line, const Merging& merging, F&& f) {
  for (size_t i = 0; i < line.time.size();) {
    size_t end = i + 1;
    while (end < line.time.size() && merging.part_of(line.time[end]) == merging.part_of(line.time[i])) ++end;
    const auto [least, greatest] = extremes_of(line.value, i, end);
    std::array<size_t, 4> points = {i, least, greatest, end - 1};
    std::ranges::sort(points);
    for (size_t p = 0; p < points.size(); ++p) {
      if (p == 0 || points.at(p) != points.at(p - 1)) f(points.at(p));
    }
    i = end;
  }
}

size_t slices_left(const Track& track, const Merging& merging) {
  size_t left = 0;
  if (track.counter) for_each_kept_point(*track.counter, merging, [&](size_t) { ++left; });
  for_each_row(track, [&](size_t begin, size_t end) {
    for_each_group(track.slices, begin, end, merging, [&](size_t, size_t) { ++left; });
  });
  return left;
}

size_t slices_left(const Timeline& timeline, const Merging& merging) {
  std::atomic<size_t> left{0};
  parallel_for(timeline.tracks.size(), [&](size_t t) {
    const Track& track = timeline.tracks[t];
    left += slices_left(track, merging_of(track, merging));
  });
  return left;
}

/// What each slice of a track stands for, those that were merged before included.
class Weights {
 public:
  explicit Weights(const Track& track)
      : slices_(track.slices), merged_(track.merged), time_of_name_(track.names.size(), 0) {}

  /// How many events slices of a row stand for, and the sum of their durations. Asked for in the order of slices.
  MergedSlice of(size_t begin, size_t end) {
    MergedSlice sum;
    for (size_t i = begin; i < end; ++i) {
      const MergedSlice one = of(i);
      sum.count += one.count;
      sum.busy_ns += one.busy_ns;
      time_of_name_[slices_.name[i]] += one.busy_ns;
    }
    return sum;
  }

  /// The name with the most time of the slices that of() was last asked for; without any time, the first.
  uint32_t heaviest_name(size_t begin, size_t end) {
    uint32_t heaviest = slices_.name[begin];
    for (size_t i = begin; i < end; ++i) {
      if (time_of_name_[slices_.name[i]] > time_of_name_[heaviest]) heaviest = slices_.name[i];
    }
    for (size_t i = begin; i < end; ++i) time_of_name_[slices_.name[i]] = 0;
    return heaviest;
  }

 private:
  MergedSlice of(size_t i) {
    while (next_ < merged_.size() && merged_[next_].index < i) ++next_;
    if (next_ < merged_.size() && merged_[next_].index == i) return merged_[next_];
    return {static_cast<uint32_t>(i), 1, slices_.end[i] - slices_.start[i]};
  }

  const TrackSlices& slices_;
  const std::vector<MergedSlice>& merged_;
  Longs time_of_name_;
  size_t next_ = 0;
};

void merge_slices(Track& track, const Merging& merging) {
  const TrackSlices& all = track.slices;
  TrackSlices kept;
  std::vector<MergedSlice> merged;
  std::vector<uint32_t> rows;
  Weights weights(track);
  for_each_row(track, [&](size_t row_begin, size_t row_end) {
    const size_t before = kept.start.size();
    for_each_group(all, row_begin, row_end, merging, [&](size_t begin, size_t end) {
      MergedSlice sum = weights.of(begin, end);
      sum.index = static_cast<uint32_t>(kept.start.size());
      if (sum.count > 1) merged.push_back(sum);
      const bool one = end - begin == 1;
      kept.start.push_back(all.start[begin]);
      kept.end.push_back(all.end[end - 1]);
      kept.name.push_back(weights.heaviest_name(begin, end));
      kept.detail.push_back(one ? all.detail[begin] : kNone);
      kept.call.push_back(one ? all.call[begin] : kNone);
    });
    rows.push_back(static_cast<uint32_t>(kept.start.size() - before));
  });
  track.slices = std::move(kept);
  track.merged = std::move(merged);
  track.rows = std::move(rows);
}

void thin_out(CounterLine& line, const Merging& merging) {
  CounterLine kept{.unit = line.unit, .time = {}, .value = {}};
  for_each_kept_point(line, merging, [&](size_t point) {
    kept.time.push_back(line.time[point]);
    kept.value.push_back(line.value[point]);
  });
  line = std::move(kept);
}

/// Slices that lie in a span, at least in part.
size_t slices_within(const Timeline& timeline, Span span) {
  size_t slices = 0;
  for (const Track& track : timeline.tracks) {
    for_each_row(track, [&](size_t begin, size_t end) {
      const auto ends = std::span(track.slices.end).subspan(begin, end - begin);
      const auto starts = std::span(track.slices.start).subspan(begin, end - begin);
      const auto first = std::ranges::lower_bound(ends, span.first) - ends.begin();
      const auto last = std::ranges::lower_bound(starts, span.second) - starts.begin();
      slices += static_cast<size_t>(std::max<ptrdiff_t>(0, last - first));
    });
  }
  return slices;
}

bool lies_in(const Span& span, const std::vector<Span>& merged_spans) {
  return std::ranges::any_of(merged_spans,
                             [&](const Span& s) { return s.first <= span.first && span.second <= s.second; });
}

/// The `wanted` spans that keep their slices. What was merged before, outside of the spans of then, does not come back.
std::vector<Span> detailed_spans(const Timeline& timeline, std::span<const Span> wanted, size_t most_slices,
                                 const Reduction& before) {
  std::vector<Span> spans;
  size_t slices = 0;
  for (const Span& span : wanted) {
    if (before.merge_below_ns > 0 && !lies_in(span, before.detailed)) continue;
    const size_t within = slices_within(timeline, span);
    if (slices + within > most_slices) continue;
    slices += within;
    spans.push_back(span);
  }
  merge_spans(spans);
  return spans;
}

/// Lengths are tried in steps of a fifth: 2^(1/4).
int64_t length_of(int64_t step) { return static_cast<int64_t>(std::exp2(static_cast<double>(step) / 4)); }

/// The shortest length whose merging leaves no more than `most`.
int64_t length_for(const Timeline& timeline, Merging merging, size_t most) {
  int64_t too_many = 0;
  int64_t few_enough = 0;
  while (length_of(few_enough) <= timeline.extent.second - timeline.extent.first) ++few_enough;
  while (few_enough - too_many > 1) {
    const int64_t middle = (too_many + few_enough) / 2;
    merging.below_ns = length_of(middle);
    (slices_left(timeline, merging) > most ? too_many : few_enough) = middle;
  }
  return length_of(few_enough);
}

}  // namespace

size_t slices_of(const Timeline& timeline) {
  size_t slices = 0;
  for (const Track& track : timeline.tracks) {
    slices += track.slices.start.size() + (track.counter ? track.counter->time.size() : 0);
  }
  return slices;
}

void reduce(Timeline& timeline, std::span<const Span> wanted, size_t most_slices, Reduction& reduction) {
  if (slices_of(timeline) <= most_slices) return;
  Merging merging{.origin_ns = timeline.extent.first, .below_ns = 1, .detailed = {}};
  merging.detailed = detailed_spans(timeline, wanted, most_slices / 3, reduction);
  merging.below_ns = length_for(timeline, merging, most_slices);
  if (!reduction.tiles) reduction.tiles = tile_sums(timeline, most_slices / kSlicesOfTileRow);
  parallel_for(timeline.tracks.size(), [&](size_t t) {
    Track& track = timeline.tracks[t];
    const Merging of_track = merging_of(track, merging);
    if (track.counter) {
      thin_out(*track.counter, of_track);
    } else {
      merge_slices(track, of_track);
    }
  });
  reduction.detailed = std::move(merging.detailed);
  reduction.merge_below_ns = merging.below_ns;
}

}  // namespace sonde
