#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "dispatch/dispatch_host.h"

namespace sonde::dispatch {
namespace dispatch_queue_test {

using namespace simulated;

/// One GPU that runs one task at a time.
config::Config one_at_a_time() {
  config::Config config;
  config.gpu.multi_gpu.max_concurrent_tasks_per_gpu = 1;
  return config;
}

/// Ends what runs until the queue is empty; the order of the starts.
Ids run_out(Host& host) {
  Ids order;
  for (Ids started = host.starts(); !started.empty(); started = host.starts()) {
    order.insert(order.end(), started.begin(), started.end());
    host.now += kSecond;
    for (const Task* const task : host.engine->running()) host.end(task->id);
  }
  return order;
}

TEST(DispatchQueue, LowerLevelsGoFirstAndEqualOnesInTheirOrder) {
  Host host(1, one_at_a_time());
  const int64_t low = host.submit("default", "low");
  const int64_t first = host.submit();
  const int64_t second = host.submit();
  const int64_t high = host.submit("default", "high");
  std::vector<int64_t> order;
  for (const Task* const task : host.engine->queue(10)) order.push_back(task->id);
  EXPECT_EQ(order, (Ids{high, first, second, low}));
  EXPECT_EQ(run_out(host), (Ids{high, first, second, low}));
}

TEST(DispatchQueue, LevelsAreRankedByTheirNumbersWhichMayBeAny) {
  config::Config config = one_at_a_time();
  config.gpu.multi_gpu.queue_priority_levels = {{"a", 70}, {"b", -3}, {"c", 70}, {"normal", 1000}};
  config.sonde.tasks.ageing = 100;
  Host host(1, config);
  const int64_t normal = host.submit("default", "normal");  // rank 2: two steps of 100 s behind
  host.now += 50 * kSecond;
  const int64_t a = host.submit("default", "a");  // rank 1
  const int64_t c = host.submit("default", "c");
  host.now += 60 * kSecond;
  const int64_t b = host.submit("default", "b");  // rank 0, 110 s later: before a (50 + 100) and normal (200)
  EXPECT_EQ(run_out(host), (Ids{b, a, c, normal}));
}

TEST(DispatchQueue, ATaskRisesOneLevelInEachAgeing) {
  for (const int64_t later : {1199, 1200, 1201}) {
    Host host(1, one_at_a_time());
    host.config->gpu.multi_gpu.queue_timeout = 1e6;
    host.notify_config();
    const int64_t busy = host.submit();
    (void)host.step();
    const int64_t low = host.submit("default", "low");
    host.now += later * kSecond;
    const int64_t high = host.submit("default", "high");
    host.end(busy);
    EXPECT_EQ(host.starts(), Ids{later < 1200 ? high : low}) << later;
  }
}

TEST(DispatchQueue, LowPriorityRunsThoughHighOnesKeepComing) {
  config::Config config = one_at_a_time();
  config.gpu.multi_gpu.queue_timeout = 1e6;
  Host host(1, config);
  int64_t running = host.submit("default", "high");
  EXPECT_EQ(host.starts(), Ids{running});
  const int64_t low = host.submit("default", "low");
  int64_t rounds = 0;
  while (host.state(low) == TaskState::waiting && rounds < 1000) {
    rounds += 1;
    (void)host.submit("default", "high");  // two come for each that ends
    (void)host.submit("default", "high");
    host.now += 10 * kSecond;
    host.end(running);
    const Ids started = host.starts();
    ASSERT_EQ(started.size(), 1u);
    running = started[0];
  }
  EXPECT_EQ(running, low);
  // All that came within two ageings of 600 s, and none after: 2 * 120.
  EXPECT_EQ(rounds, 241);
}

/// On one GPU that runs one at a time nothing is passed but by place: whoever goes before a waiting task has a lower
/// place, so it came no later than levels * ageing after it.
TEST(DispatchQueue, WhoPassesAWaitingTaskCameBeforeItsPlace) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    config::Config config = one_at_a_time();
    config.gpu.multi_gpu.queue_timeout = 1e6;
    Host host(1, config);
    const std::map<std::string, int64_t> ranks = {{"high", 0}, {"normal", 1}, {"low", 2}};
    std::map<int64_t, int64_t> places;
    std::vector<std::string> names = {"high", "normal", "low"};
    for (int i = 0; i < 300; ++i) {
      for (uint64_t n = random() % 3; n > 0; --n) {
        const std::string& priority = names[random() % 3];
        const int64_t id = host.submit("default", priority);
        places[id] = ranks.at(priority) * 600 * kSecond + host.now;
      }
      for (const int64_t started : host.starts()) {
        for (const Task* const waiting : host.engine->queue(10000)) {
          ASSERT_LE(places.at(started), places.at(waiting->id)) << "seed " << seed;
        }
      }
      host.now += static_cast<int64_t>(random() % 100) * kSecond;
      if (random() % 2 == 0 && !host.engine->running().empty()) host.end(host.engine->running()[0]->id);
    }
  }
}

TEST(DispatchQueue, AFullQueueRefusesAndSaysWhenToComeBack) {
  config::Config config = one_at_a_time();
  config.gpu.multi_gpu.max_queue_size = 3;
  Host host(1, config);
  int64_t running = host.submit();
  (void)host.step();
  for (int i = 0; i < 4; ++i) {  // starts at a rate of one in 20 s
    (void)host.submit();
    host.now += 20 * kSecond;
    host.end(running);
    running = host.starts().at(0);
  }
  for (int i = 0; i < 3; ++i) (void)host.submit();
  const auto refused = host.engine->submit(spec_of(), host.now);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, "queue_full");
  EXPECT_EQ(refused.error().retry_after_s, 16);  // 80 s / 5 starts
  EXPECT_EQ(refused.error().detail, "the queue has 3 of 3 tasks (gpu.multi_gpu.max_queue_size); try again in 16 s");
  EXPECT_EQ(host.engine->counts().queue_length, 3);
  host.config->gpu.multi_gpu.max_queue_size = 4;
  host.notify_config();
  EXPECT_TRUE(host.engine->submit(spec_of(), host.now).has_value());
}

TEST(DispatchQueue, ABatchNeedsRoomForAllOfIt) {
  config::Config config;
  config.gpu.multi_gpu.max_queue_size = 5;
  Host host(1, config);
  (void)host.submit();
  const auto full = host.engine->submit_batch("b", std::vector(5, spec_of()), host.now);
  ASSERT_FALSE(full.has_value());
  EXPECT_EQ(full.error().code, "queue_full");
  const auto large = host.engine->submit_batch("b", std::vector(6, spec_of()), host.now);
  EXPECT_EQ(large.error().code, "batch_too_large");
  EXPECT_FALSE(large.error().retry_after_s.has_value());
  EXPECT_EQ(host.engine->counts().queue_length, 1);
  EXPECT_TRUE(host.engine->submit_batch("b", std::vector(4, spec_of()), host.now).has_value());
}

TEST(DispatchQueue, WhatWaitsLongerThanTheTimeoutIsCancelled) {
  Host host(1, one_at_a_time());
  const int64_t running = host.submit();
  (void)host.step();
  host.now += kSecond;
  const int64_t waiting = host.submit();
  (void)host.step();
  EXPECT_EQ(host.engine->next_ns(), host.now + 3600 * kSecond);
  (void)host.after(3599);
  EXPECT_EQ(host.state(waiting), TaskState::waiting);
  (void)host.after(1);
  EXPECT_EQ(host.state(waiting), TaskState::cancelled);
  EXPECT_EQ(host.find(waiting).cause, EndCause::queue_timeout);
  EXPECT_EQ(host.find(waiting).reason, "it waited in the queue longer than gpu.multi_gpu.queue_timeout (60 min)");
  EXPECT_EQ(host.state(running), TaskState::running);
  EXPECT_EQ(host.engine->next_ns(), std::nullopt);
}

TEST(DispatchQueue, AnotherTimeoutHoldsAtTheNextStep) {
  Host host(1, one_at_a_time());
  (void)host.submit();
  (void)host.step();
  const int64_t waiting = host.submit();
  (void)host.after(100);
  host.config->gpu.multi_gpu.queue_timeout = 100;
  host.notify_config();
  (void)host.step();
  EXPECT_EQ(host.find(waiting).cause, EndCause::queue_timeout);
}

TEST(DispatchQueue, ChangedLevelsAndAgeingMoveWhatWaits) {
  Host host(1, one_at_a_time());
  const int64_t running = host.submit();
  (void)host.step();
  const int64_t high = host.submit("default", "high");
  const int64_t low = host.submit("default", "low");
  host.config->gpu.multi_gpu.queue_priority_levels = {{"low", 0}, {"normal", 1}, {"high", 2}};
  host.notify_config();
  EXPECT_EQ(host.engine->queue(1).at(0)->id, low);
  host.config->sonde.tasks.ageing = 0;
  host.notify_config();
  EXPECT_EQ(host.engine->queue(1).at(0)->id, high);
  host.end(running);
  EXPECT_EQ(host.starts(), Ids{high});
}

TEST(DispatchQueue, MoreSlotsAndOtherThresholdsHoldAtTheNextStep) {
  Host host(1, one_at_a_time());
  const Ids ids = {host.submit(), host.submit(), host.submit()};
  EXPECT_EQ(host.starts(), Ids{ids[0]});
  EXPECT_EQ(host.starts(), Ids{});
  host.config->gpu.multi_gpu.max_concurrent_tasks_per_gpu = 2;
  host.notify_config();
  EXPECT_EQ(host.starts(), Ids{ids[1]});
  host.config->gpu.multi_gpu.max_concurrent_tasks_per_gpu = 12;
  host.config->gpu.max_temperature = 30;
  host.notify_config();
  EXPECT_EQ(host.starts(), Ids{});
  host.config->gpu.max_temperature = 85;
  host.notify_config();
  EXPECT_EQ(host.starts(), Ids{ids[2]});
}

TEST(DispatchQueue, TasksWithoutGpuHavePlacesOfTheirOwn) {
  config::Config config;
  config.gpu.multi_gpu.max_concurrent_tasks_per_gpu = 2;
  Host host(0, config);
  TaskSpec spec = spec_of();
  spec.gpus = 0;
  const Ids ids = {host.submit(spec), host.submit(spec), host.submit(spec)};
  EXPECT_EQ(host.starts(), (Ids{ids[0], ids[1]}));
  host.end(ids[0]);
  EXPECT_EQ(host.starts(), Ids{ids[2]});
}

}  // namespace dispatch_queue_test
}  // namespace sonde::dispatch
