#include "analyses/timeline/timeline.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "analyses/steps/run_extent.h"
#include "analyses/timeline/timeline_reduction.h"
#include "analyses/timeline/track_builder.h"
#include "shared/trace_builder.h"

namespace sonde {
namespace timeline_test {

/// The timeline of a trace, and what it was made of.
struct Made {
  explicit Made(Trace built)
      : trace(std::move(built)),
        gpus(gpus_of(trace)),
        classes(kernel_classes(trace)),
        communication(communication_kinds(trace)),
        kinds(api_kinds(trace)),
        timeline(timeline_of({trace, gpus, classes, communication, kinds, run_extent(trace), steps})) {}

  Trace trace;
  Gpus gpus;
  std::vector<KernelClass> classes;
  std::vector<CommunicationKind> communication;
  std::vector<ApiKind> kinds;
  std::vector<RankTurns> steps;
  Timeline timeline;

  [[nodiscard]] const Track& track(TrackKind kind) const {
    return *std::ranges::find(timeline.tracks, kind, &Track::kind);
  }
  [[nodiscard]] std::string_view name(const Track& track, size_t slice) const {
    return timeline.texts.view(track.names[track.slices.name[slice]].text);
  }
};

std::vector<TrackKind> kinds_of(const Timeline& timeline) {
  std::vector<TrackKind> kinds;
  for (const Track& track : timeline.tracks) kinds.push_back(track.kind);
  return kinds;
}

TEST(Timeline, RangesLieBelowTheOneAroundThem) {
  TraceBuilder b;
  const ThreadId thread = b.thread(1, 10);
  b.push_pop(thread, 0, 100, "outer");
  b.push_pop(thread, 10, 40, "first");
  b.push_pop(thread, 20, 30, "inner");
  b.push_pop(thread, 50, 90, "second");
  const Made made(b.build());
  const Track& track = made.track(TrackKind::range);
  EXPECT_EQ(track.rows, (std::vector<uint32_t>{1, 2, 1}));
  EXPECT_EQ(track.slices.start, (Times{0, 10, 50, 20}));
  EXPECT_EQ(made.name(track, 3), "inner");
  EXPECT_EQ(track.total_ns, 100 + 30 + 10 + 40);
}

TEST(Timeline, KernelsThatRunSideBySideTakeRowsOfTheirOwn) {
  TraceBuilder b;
  const StreamId stream = b.stream(1);
  b.kernel(stream, 0, 50, "a", 0);
  b.kernel(stream, 40, 60, "b", 0);
  b.kernel(stream, 50, 70, "c", 0);
  const Made made(b.build());
  const Track& track = made.track(TrackKind::gpu);
  EXPECT_EQ(track.rows, (std::vector<uint32_t>{2, 1}));
  EXPECT_EQ(made.name(track, 1), "void c<float>(int)");
  EXPECT_EQ(made.name(track, 2), "void b<float>(int)");
}

TEST(Timeline, AKernelKnowsItsCallAndWhatItIs) {
  TraceBuilder b;
  const ThreadId thread = b.thread(1, 10);
  const StreamId stream = b.stream(1);
  b.call(thread, 0, 5, "cudaDeviceSynchronize");
  b.kernel(stream, 20, 50, "ampere_sgemm_128x64", b.call(thread, 6, 9));
  b.host_copy(stream, 60, 70, CopyKind::host_to_device, MemoryKind::pageable, 1234, b.call(thread, 10, 12));
  const Made made(b.build());
  const Track& gpu = made.track(TrackKind::gpu);
  EXPECT_EQ(gpu.slices.call, (Ids{1, 2}));
  EXPECT_EQ(made.track(TrackKind::api).slices.call, (Ids{0, 1, 2}));
  EXPECT_EQ(gpu.names[0].category, SliceCategory::matrix);
  EXPECT_EQ(gpu.names[1].category, SliceCategory::copy_h2d);
  EXPECT_EQ(gpu.details[gpu.slices.detail[1]],
            (SliceDetail{{"bytes", "1234"}, {"from", "Pageable"}, {"to", "Device"}}));
  EXPECT_EQ(made.track(TrackKind::api).names[0].category, SliceCategory::wait);
}

TEST(Timeline, GpusStandAboveTheThreadThatLaunchesMost) {
  TraceBuilder b;
  const ThreadId idle = b.thread(1, 10);
  const ThreadId busy = b.thread(1, 11);
  b.os_call(idle, 0, 90, "poll");
  b.kernel(b.stream(1), 20, 50, "k", b.call(busy, 6, 9));
  const Made made(b.build());
  EXPECT_EQ(kinds_of(made.timeline), (std::vector{TrackKind::idle, TrackKind::gpu, TrackKind::api, TrackKind::os}));
  EXPECT_EQ(made.timeline.tracks[2].place, "thread 11");
  EXPECT_EQ(made.timeline.tracks[1].place, "GPU 0");
}

TEST(Timeline, IdleAndBusyTimeFillTheRun) {
  TraceBuilder b;
  const ThreadId thread = b.thread(1, 10);
  const StreamId stream = b.stream(1);
  for (int64_t i = 0; i < 5; ++i)
    b.kernel(stream, 1000 * i + 300, 1000 * i + 700, "k", b.call(thread, 1000 * i, 1000 * i + 50));
  const Made made(b.build());
  EXPECT_EQ(made.track(TrackKind::idle).total_ns + made.track(TrackKind::gpu).total_ns, 4700);
}

/// A timeline of random slices.
Timeline random_timeline(uint32_t seed) {
  std::mt19937_64 random(seed);
  Timeline timeline{.extent = {1000, 1'001'000}, .texts = {}, .tracks = {}};
  for (int t = 0; t < 3; ++t) {
    Track header;
    TrackBuilder builder(timeline, std::move(header));
    int64_t time = 1000;
    while (time < 990'000) {
      const auto length = static_cast<int64_t>(random() % (random() % 50 == 0 ? 9000 : 60));
      const std::string name(1, static_cast<char>('a' + random() % 5));
      builder.add({time, time + length, builder.name(name, SliceCategory::kernel)});
      time += static_cast<int64_t>(random() % 100);
    }
    timeline.tracks.push_back(std::move(builder).finish());
  }
  return timeline;
}

size_t slice_count(const Timeline& timeline) {
  size_t slices = 0;
  for (const Track& track : timeline.tracks) slices += track.slices.start.size();
  return slices;
}

using Sums = std::map<std::pair<size_t, std::string>, std::pair<int64_t, int64_t>>;

Sums sums_of(const Timeline& timeline) {
  Sums sums;
  for (size_t t = 0; t < timeline.tracks.size(); ++t) {
    const Track& track = timeline.tracks[t];
    for (size_t i = 0; i < track.slices.start.size(); ++i) {
      auto& [count, total] = sums[{t, std::string(timeline.texts.view(track.names[track.slices.name[i]].text))}];
      ++count;
      total += track.slices.end[i] - track.slices.start[i];
    }
  }
  return sums;
}

Sums sums_of(const Timeline& timeline, const TileSums& tiles) {
  Sums sums;
  for (size_t i = 0; i < tiles.track.size(); ++i) {
    const auto t = static_cast<size_t>(tiles.track[i]);
    const Track& track = timeline.tracks[t];
    const NameId text = track.names[static_cast<size_t>(tiles.name[i])].text;
    auto& [count, total] = sums[{t, std::string(timeline.texts.view(text))}];
    count += tiles.count[i];
    total += tiles.total_ns[i];
  }
  return sums;
}

TEST(TimelineReduction, ASmallTimelineStaysAsItIs) {
  Timeline timeline = random_timeline(1);
  const size_t slices = slice_count(timeline);
  Reduction reduction;
  reduce(timeline, {}, slices, reduction);
  EXPECT_EQ(slice_count(timeline), slices);
  EXPECT_FALSE(reduction.tiles);
  EXPECT_EQ(reduction.merge_below_ns, 0);
}

TEST(TimelineReduction, TilesKeepTheSums) {
  for (uint32_t seed = 1; seed < 6; ++seed) {
    const Timeline timeline = random_timeline(seed);
    const Sums exact = sums_of(timeline);
    for (const size_t rows : {100'000U, 1000U, 40U}) {
      const TileSums tiles = tile_sums(timeline, rows);
      EXPECT_EQ(sums_of(timeline, tiles), exact);
      EXPECT_LE(tiles.track.size(), std::max<size_t>(rows, exact.size()));
      EXPECT_GE(tiles.tile_ns * static_cast<int64_t>(tiles.tiles), 1'000'000);
    }
  }
}

TEST(TimelineReduction, MergedSlicesKeepCountAndTime) {
  for (uint32_t seed = 1; seed < 6; ++seed) {
    Timeline timeline = random_timeline(seed);
    const size_t most = slice_count(timeline) / 5;
    Reduction reduction;
    reduce(timeline, {}, most, reduction);
    EXPECT_LE(slice_count(timeline), most);
    ASSERT_TRUE(reduction.tiles);
    const Longs sums = reduction.tiles->total_ns;
    reduce(timeline, {}, most / 2, reduction);  // what was merged is merged further
    EXPECT_LE(slice_count(timeline), most / 2);
    EXPECT_EQ(reduction.tiles->total_ns, sums);
    for (const Track& track : timeline.tracks) {
      int64_t events = static_cast<int64_t>(track.slices.start.size() - track.merged.size());
      int64_t busy = 0;
      for (size_t i = 0; i < track.slices.start.size(); ++i) busy += track.slices.end[i] - track.slices.start[i];
      for (const MergedSlice& m : track.merged) {
        events += m.count;
        busy += m.busy_ns - (track.slices.end[m.index] - track.slices.start[m.index]);
      }
      EXPECT_EQ(events, track.events);
      EXPECT_EQ(busy, track.total_ns);
    }
  }
}

TEST(TimelineReduction, RowsStayInOrderAndApart) {
  Timeline timeline = random_timeline(7);
  Reduction reduction;
  reduce(timeline, {}, slice_count(timeline) / 9, reduction);
  for (const Track& track : timeline.tracks) {
    size_t i = 0;
    for (const uint32_t count : track.rows) {
      for (const size_t end = i + count; ++i < end;) EXPECT_GE(track.slices.start[i], track.slices.end[i - 1]);
    }
    EXPECT_EQ(i, track.slices.start.size());
  }
}

TEST(TimelineReduction, WhatIsWantedKeepsItsSlices) {
  const Span wanted{500'000, 520'000};
  const auto within = [&](const Timeline& timeline) {
    std::vector<std::pair<int64_t, int64_t>> slices;
    for (const Track& track : timeline.tracks) {
      for (size_t i = 0; i < track.slices.start.size(); ++i) {
        if (track.slices.end[i] >= wanted.first && track.slices.start[i] < wanted.second) {
          slices.emplace_back(track.slices.start[i], track.slices.end[i]);
        }
      }
    }
    return slices;
  };
  Timeline timeline = random_timeline(3);
  const auto before = within(timeline);
  ASSERT_FALSE(before.empty());
  Reduction reduction;
  reduce(timeline, std::array{wanted}, slice_count(timeline) / 4, reduction);
  EXPECT_EQ(reduction.detailed, (std::vector{wanted}));
  EXPECT_EQ(within(timeline), before);
}

TEST(TimelineReduction, CountersKeepTheirExtremes) {
  Timeline timeline = random_timeline(3);
  Track track;
  track.kind = TrackKind::counter;
  CounterLine line;
  for (int64_t i = 0; i < 20'000; ++i) {
    line.time.push_back(1000 + 50 * i);
    line.value.push_back(i == 7777 ? 1e9 : i == 7778 ? -1e9 : static_cast<double>(i % 13));
  }
  track.counter = line;
  timeline.tracks.push_back(track);
  Reduction reduction;
  reduce(timeline, {}, slice_count(timeline) / 4, reduction);
  const CounterLine& kept = *timeline.tracks.back().counter;
  EXPECT_LT(kept.time.size(), line.time.size() / 2);
  EXPECT_EQ(std::ranges::max(kept.value), 1e9);
  EXPECT_EQ(std::ranges::min(kept.value), -1e9);
  EXPECT_TRUE(std::ranges::is_sorted(kept.time));
  EXPECT_EQ(kept.time.back(), line.time.back());
}

/// A timeline of one track with slices at these times.
Timeline timeline_of_slices(const std::vector<Span>& slices, int64_t end) {
  Timeline timeline{.extent = {0, end}, .texts = {}, .tracks = {}};
  Track header;
  header.kind = TrackKind::gpu;
  TrackBuilder builder(timeline, std::move(header));
  for (const Span& s : slices) builder.add({s.first, s.second, builder.name("kernel", SliceCategory::kernel)});
  timeline.tracks.push_back(std::move(builder).finish());
  return timeline;
}

TEST(TimelineReduction, NothingReachesAcrossASpanInDetail) {
  // In the span itself nothing happens.
  Timeline timeline = timeline_of_slices({{0, 1}, {2, 3}, {40, 41}, {60, 61}, {62, 63}}, 100);
  const Span wanted{45, 55};
  Reduction reduction;
  reduce(timeline, std::array{wanted}, 2, reduction);
  EXPECT_EQ(reduction.detailed, (std::vector{wanted}));
  EXPECT_EQ(timeline.tracks[0].slices.start, (Times{0, 60}));
  EXPECT_EQ(timeline.tracks[0].slices.end, (Times{41, 63}));
}

TEST(TimelineReduction, WhatWasMergedIsNotInDetailLater) {
  std::vector<Span> slices;
  for (int64_t i = 0; i < 1000; ++i) slices.emplace_back(10 * i, 10 * i + 5);
  Timeline timeline = timeline_of_slices(slices, 10'000);
  const std::array wanted = {Span{0, 5000}, Span{9000, 9100}};
  Reduction reduction;
  reduce(timeline, wanted, 100, reduction);  // the first of them is too much
  EXPECT_EQ(reduction.detailed, (std::vector{wanted[1]}));
  reduce(timeline, wanted, 60, reduction);  // what is left of it would fit now
  EXPECT_EQ(reduction.detailed, (std::vector{wanted[1]}));
}

TEST(TimelineReduction, CountersAloneAreThinnedToo) {
  Timeline timeline{.extent = {0, 1'000'000}, .texts = {}, .tracks = {}};
  Track& track = timeline.tracks.emplace_back();
  track.kind = TrackKind::counter;
  track.counter = CounterLine{.unit = {}, .time = {}, .value = {}};
  for (int64_t i = 0; i < 10'000; ++i) {
    track.counter->time.push_back(100 * i);
    track.counter->value.push_back(i % 3 == 0 ? std::nan("") : i == 5000 ? 1e9 : static_cast<double>(i % 7));
  }
  Reduction reduction;
  reduce(timeline, {}, 1000, reduction);
  EXPECT_LE(slices_of(timeline), 1000U);
  EXPECT_GT(slices_of(timeline), 100U);
  EXPECT_EQ(std::ranges::count(track.counter->value, 1e9), 1);
}

TEST(Timeline, ACounterWithoutAnyValueIsNotThere) {
  TraceBuilder b;
  b.push_pop(b.thread(1, 10), 0, 100, "range");
  Trace trace = b.build();
  trace.counters.resize(2);
  for (const uint32_t counter : {0U, 1U, 1U}) {
    trace.counter_values.start.push_back(static_cast<int64_t>(trace.counter_values.start.size()));
    trace.counter_values.counter.push_back(counter);
    trace.counter_values.value.push_back(std::nan(""));
  }
  trace.counter_values.value.back() = 3;
  const Made made(std::move(trace));
  ASSERT_EQ(std::ranges::count(made.timeline.tracks, TrackKind::counter, &Track::kind), 1);
  EXPECT_EQ(made.track(TrackKind::counter).counter->value.back(), 3);
}

}  // namespace timeline_test
}  // namespace sonde
