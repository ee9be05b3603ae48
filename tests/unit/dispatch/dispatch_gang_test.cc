#include <gtest/gtest.h>

#include <algorithm>
#include <queue>
#include <random>

#include "dispatch/dispatch_host.h"

namespace sonde::dispatch {
namespace dispatch_gang_test {

using namespace simulated;

config::Config one_at_a_time() {
  config::Config config;
  config.gpu.multi_gpu.max_concurrent_tasks_per_gpu = 1;
  config.gpu.multi_gpu.queue_timeout = 1e7;
  return config;
}

TaskSpec gang_of(int64_t gpus) {
  TaskSpec spec = spec_of();
  spec.gpus = gpus;
  return spec;
}

TaskSpec limited(int64_t seconds) {
  TaskSpec spec = spec_of();
  spec.time_limit_ns = seconds * kSecond;
  return spec;
}

TEST(DispatchGang, GetsAllOrNone) {
  Host host(3, one_at_a_time());
  const int64_t single = host.submit();
  (void)host.step();
  const int64_t gang = host.submit(gang_of(3));
  EXPECT_EQ(host.starts(), Ids{});
  EXPECT_EQ(host.explain(gang).summary.find("it needs 3 GPUs together, and 2 of 3 are eligible now: gpu_0: "), 0u)
      << host.explain(gang).summary;
  host.end(single);
  EXPECT_EQ(host.starts(), Ids{gang});
  EXPECT_EQ(host.gpus_of(gang), (std::vector<size_t>{0, 1, 2}));
}

TEST(DispatchGang, WhatIsNextKeepsItsGpusFromWhatComesLater) {
  Host host(2, one_at_a_time());
  const int64_t running = host.submit();
  (void)host.step();
  const int64_t gang = host.submit(gang_of(2));
  const int64_t later = host.submit();
  EXPECT_EQ(host.starts(), Ids{});  // gpu_1 is free, and kept
  EXPECT_EQ(host.refused_by(later, 1), Rules{"kept"});
  EXPECT_EQ(host.refused_by(gang, 1), Rules{});
  host.end(running);
  EXPECT_EQ(host.starts(), Ids{gang});
  host.end(gang);
  EXPECT_EQ(host.starts(), Ids{later});
}

TEST(DispatchGang, WhatIsBeforeItStillGetsThem) {
  Host host(2, one_at_a_time());
  (void)host.submit();
  (void)host.step();
  (void)host.submit(gang_of(2));
  (void)host.step();
  const int64_t high = host.submit("default", "high");
  EXPECT_EQ(host.starts(), Ids{high});
}

TEST(DispatchGang, AShortTaskGoesFirstWhereItEndsInTime) {
  Host host(2, one_at_a_time());
  const int64_t running = host.submit(limited(100));
  (void)host.step();
  const int64_t gang = host.submit(gang_of(2));
  const int64_t late = host.submit(limited(101));
  const int64_t unknown = host.submit();
  const int64_t in_time = host.submit(limited(100));
  EXPECT_EQ(host.starts(), Ids{in_time});
  EXPECT_NE(host.decisions[in_time].note.find("it starts ahead of task " + std::to_string(gang)), std::string::npos);
  EXPECT_EQ(host.state(late), TaskState::waiting);
  EXPECT_EQ(host.state(unknown), TaskState::waiting);
  host.now += 100 * kSecond;
  host.end(running);
  host.end(in_time);
  EXPECT_EQ(host.starts(), Ids{gang});
}

TEST(DispatchGang, RunTimesOfTheTypeServeWhereThereIsNoLimit) {
  Host host(2, one_at_a_time());
  for (int i = 0; i < 30; ++i) {
    host.engine->estimates().learn(
        {.type = "short", .gpu_name = "H100", .gpus = 1, .peak_bytes = {}, .run_ns = 10 * kSecond});
    host.engine->estimates().learn(
        {.type = "long", .gpu_name = "H100", .gpus = 1, .peak_bytes = {}, .run_ns = 60 * kSecond});
  }
  const int64_t running = host.submit("long");
  (void)host.step();
  const int64_t gang = host.submit(gang_of(2));
  const int64_t second = host.submit("long");
  const int64_t first = host.submit("short");
  host.now += 5 * kSecond;
  EXPECT_EQ(host.starts(), Ids{first});
  host.now += 10 * kSecond;
  host.end(first);
  EXPECT_EQ(host.starts(), Ids{});  // 45 s are left
  EXPECT_EQ(host.state(second), TaskState::waiting);
  host.end(running);
  EXPECT_EQ(host.starts(), Ids{gang});
}

TEST(DispatchGang, WithoutKnownTimesAKeptGpuIsNotGivenAway) {
  Host host(2, one_at_a_time());
  (void)host.submit();  // nobody knows how long
  (void)host.step();
  (void)host.submit(gang_of(2));
  const int64_t brief = host.submit(limited(1));
  EXPECT_EQ(host.starts(), Ids{});
  EXPECT_EQ(host.state(brief), TaskState::waiting);
}

TEST(DispatchGang, WhatFitsBesideItMayStart) {
  Host host(1);
  const int64_t running = host.submit_gib(50);
  (void)host.step();
  const int64_t large = host.submit_gib(60);  // once that has ended, 20 GiB are spare
  const int64_t beside = host.submit_gib(20);
  const int64_t too_much = host.submit_gib(1);
  EXPECT_EQ(host.starts(), Ids{beside});
  EXPECT_EQ(host.refused_by(too_much, 0), Rules{"kept"});
  host.end(running);
  EXPECT_EQ(host.starts(), Ids{large});
}

TEST(DispatchGang, LargeTasksAreNotStarvedBySmallOnes) {
  Host host(1);
  std::mt19937_64 random(1);
  for (int i = 0; i < 4; ++i) (void)host.submit_gib(20);
  (void)host.step();
  const int64_t large = host.submit_gib(70);
  int rounds = 0;
  while (host.state(large) == TaskState::waiting && ++rounds < 100) {
    (void)host.submit_gib(20);
    host.now += kSecond;
    const auto running = host.engine->running();
    host.end(running[random() % running.size()]->id);
    (void)host.step();
  }
  EXPECT_LE(rounds, 4);
}

TEST(DispatchGang, ATaskThatCanNeverStartKeepsNothing) {
  Host host(2, one_at_a_time());
  host.gpus[0].trouble = "lost";
  host.notify_gpus();
  const int64_t gang = host.submit(gang_of(2));
  const int64_t single = host.submit();
  EXPECT_EQ(host.starts(), Ids{single});
  EXPECT_EQ(host.state(gang), TaskState::waiting);
}

TEST(DispatchGang, BesideTheFirstOneOthersKeepNoMoreThanHalf) {
  for (const auto& [size, kept] : {std::pair{2, 4}, {4, 4}, {5, 5}, {3, 3}}) {
    Host host(8, one_at_a_time());
    Ids running;
    for (int i = 0; i < 8; ++i) running.push_back(host.submit());
    (void)host.step();
    host.end(running[7]);
    for (int i = 0; i < 6; ++i) {
      TaskSpec spec = gang_of(size);
      spec.memory_bytes = (60 + i) * kGiB;  // no two alike
      (void)host.submit(spec);
    }
    const int64_t last = host.submit();
    (void)host.step();
    int count = 0;
    for (size_t gpu = 0; gpu < 8; ++gpu) count += std::ranges::count(host.refused_by(last, gpu), "kept") > 0 ? 1 : 0;
    EXPECT_EQ(count, kept) << size;
  }
}

/// Runs a workload to its end on a virtual clock: whether all tasks ran, and for how long the longest waited.
struct Played {
  bool is_done = false;
  double longest_wait_s = 0;
};
Played play(uint64_t seed, bool with_times) {
  std::mt19937_64 random(seed);
  config::Config config = one_at_a_time();
  config.gpu.multi_gpu.max_concurrent_tasks_per_gpu = 2;
  Host host(4, config, seed);
  using End = std::pair<int64_t, int64_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  std::map<int64_t, int64_t> length;
  int64_t submitted = 0;
  double longest = 0;
  const int64_t begin = host.now;
  int64_t next_submit = begin;
  while (submitted < 400 || !ends.empty()) {
    const bool submits = submitted < 400 && (ends.empty() || next_submit <= ends.top().first);
    host.now = submits ? next_submit : ends.top().first;
    if (submits) {
      TaskSpec spec = gang_of(random() % 4 == 0 ? static_cast<int64_t>(1 + random() % 4) : 1);
      spec.memory_bytes = static_cast<int64_t>(1 + random() % 79) * kGiB;
      const auto seconds = static_cast<int64_t>(1 + random() % 100);
      if (with_times) spec.time_limit_ns = seconds * kSecond;
      length[host.submit(spec)] = seconds;
      submitted += 1;
      next_submit += static_cast<int64_t>(random() % 30) * kSecond;
    } else {
      host.end(ends.top().second);
      ends.pop();
    }
    for (const int64_t id : host.starts()) {
      ends.emplace(host.now + length[id] * kSecond, id);
      longest = std::max(longest, static_cast<double>(host.now - host.find(id).ready_ns) / 1e9);
    }
  }
  return {.is_done = host.engine->counts().queue_length == 0, .longest_wait_s = longest};
}

TEST(DispatchGang, NeverDeadlocks) {
  for (uint64_t seed = 1; seed <= 15; ++seed) {
    for (const bool with_times : {false, true}) EXPECT_TRUE(play(seed, with_times).is_done) << seed << with_times;
  }
}

/// The first of the queue waits no longer than the longest of what ran when it became first: nothing that passes it
/// makes it wait. Checked with exact run times, which are told as limits.
TEST(DispatchGang, NobodyWhoPassesTheFirstMakesItWait) {
  for (uint64_t seed = 1; seed <= 15; ++seed) {
    std::mt19937_64 random(seed);
    Host host(4, one_at_a_time(), seed);
    std::map<int64_t, int64_t> end_of;
    int64_t first = 0;
    int64_t bound = 0;
    for (int i = 0; i < 400; ++i) {
      if (host.engine->counts().queue_length < 20) {
        TaskSpec spec = limited(static_cast<int64_t>(1 + random() % 100));
        spec.type = std::to_string(i);  // limits are exact, what is learned of a type is not
        spec.gpus = static_cast<int64_t>(1 + random() % 4);
        (void)host.submit(spec);
      }
      for (const int64_t id : host.starts()) {
        if (id == first) {
          ASSERT_LE(host.now, bound) << "seed " << seed;
        }
        end_of[id] = host.now + *host.find(id).spec.time_limit_ns;
      }
      const auto queue = host.engine->queue(1);
      if (!queue.empty() && queue[0]->id != first) {
        first = queue[0]->id;
        bound = host.now;
        for (const Task* const task : host.engine->running()) bound = std::max(bound, end_of[task->id]);
      }
      if (random() % 3 == 0 && !host.engine->running().empty()) {
        int64_t next = INT64_MAX;
        for (const Task* const task : host.engine->running()) next = std::min(next, end_of[task->id]);
        host.now = next;
        for (const Task* const task : host.engine->running()) {
          if (end_of[task->id] == next) host.end(task->id);
        }
      }
    }
  }
}

}  // namespace dispatch_gang_test
}  // namespace sonde::dispatch
