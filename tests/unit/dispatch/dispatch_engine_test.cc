#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "dispatch/dispatch_host.h"

namespace sonde::dispatch {
namespace dispatch_engine_test {

using namespace simulated;

TEST(DispatchEngine, AStepSaysWhatIsToBeSavedAndStarted) {
  Host host(2);
  const int64_t id = host.submit();
  const Step step = host.step();
  EXPECT_EQ(step.changed_tasks, Ids{id});
  EXPECT_EQ(step.starts, Ids{id});
  ASSERT_EQ(step.decisions.size(), 1u);
  EXPECT_EQ(step.decisions[0].strategy, "least_loaded");
  EXPECT_EQ(step.decisions[0].gpus.size(), 2u);
  EXPECT_TRUE(step.decisions[0].gpus[0].chosen);
  EXPECT_EQ(step.decisions[0].gpus[0].score_text, "0 % in use");
  std::vector<std::string> changes;
  for (const TaskNews& news : step.news) changes.push_back(news.change);
  EXPECT_EQ(changes, (std::vector<std::string>{"submitted", "ready", "started"}));
  const Attempt& attempt = *host.find(id).last();
  EXPECT_EQ(attempt.reserved_bytes, 10 * kGiB);  // 80 GiB for 8 tasks
  EXPECT_EQ(attempt.memory_source, MemorySource::share);
  EXPECT_EQ(attempt.gpu_name, "H100");
  const Step next = host.step();
  EXPECT_TRUE(next.changed_tasks.empty() && next.starts.empty() && next.news.empty());
}

TEST(DispatchEngine, IdsGoOnFromTheLastOne) {
  Host host(1);
  host.engine->restore({}, {}, 41, 6);
  EXPECT_EQ(host.submit(), 42);
  EXPECT_EQ(host.engine->submit_batch("b", {spec_of()}, host.now).value(), 7);
}

TEST(DispatchEngine, MemoryThatIsKeptAndHeldIsNotGivenTwice) {
  Host host(1);
  const int64_t first = host.submit_gib(50);
  const int64_t second = host.submit_gib(40);
  EXPECT_EQ(host.starts(), Ids{first});
  EXPECT_EQ(host.refused_by(second, 0), Rules{"memory_room"});
  host.end(first);
  EXPECT_EQ(host.starts(), Ids{second});
  host.held = {{second, "GPU-0", 60 * kGiB}};  // it takes more than it said
  host.notify_gpus();
  const int64_t third = host.submit_gib(30);
  EXPECT_EQ(host.starts(), Ids{});
  EXPECT_EQ(host.find(second).last()->peak_bytes, 60 * kGiB);
  host.held = {{second, "GPU-0", 20 * kGiB}};
  host.notify_gpus();
  EXPECT_EQ(host.starts(), Ids{third});
  EXPECT_EQ(host.find(second).last()->peak_bytes, 60 * kGiB);
}

TEST(DispatchEngine, MemoryOfOtherProgramsCounts) {
  Host host(1);
  host.gpus[0].foreign_bytes = 50 * kGiB;
  host.notify_gpus();
  const int64_t id = host.submit_gib(31);
  EXPECT_EQ(host.starts(), Ids{});
  host.gpus[0].foreign_bytes = 49 * kGiB;
  host.notify_gpus();
  EXPECT_EQ(host.starts(), Ids{id});
}

TEST(DispatchEngine, MemoryIsLearned) {
  Host host(1);
  for (int i = 0; i < 5; ++i) {
    host.engine->estimates().learn(
        {.type = "train", .gpu_name = "H100", .gpus = 1, .peak_bytes = 30 * kGiB, .run_ns = kSecond});
  }
  const int64_t id = host.submit("train");
  (void)host.step();
  EXPECT_EQ(host.find(id).last()->memory_source, MemorySource::learned);
  EXPECT_EQ(host.find(id).last()->reserved_bytes, host.engine->estimates().memory("train")->need_bytes);
  EXPECT_GE(host.find(id).last()->reserved_bytes, 30 * kGiB);
}

TEST(DispatchEngine, SucceedsAndFails) {
  Host host(1);
  const Ids ids = {host.submit(), host.submit(), host.submit()};
  (void)host.step();
  host.end(ids[0]);
  host.end(ids[1], EndCause::exit, 3);
  host.end(ids[2], EndCause::time_limit);
  (void)host.step();
  EXPECT_EQ(host.state(ids[0]), TaskState::succeeded);
  EXPECT_EQ(host.state(ids[1]), TaskState::failed);
  EXPECT_EQ(host.find(ids[1]).reason, "the program exited with status 3");
  EXPECT_EQ(host.find(ids[2]).cause, EndCause::time_limit);
}

TEST(DispatchEngine, AnEndIsTakenOnceAndOnlyOfTheLastAttempt) {
  Host host(1);
  TaskSpec spec = spec_of();
  spec.retries = 1;
  const int64_t id = host.submit(spec);
  (void)host.step();
  host.end(id, EndCause::lost);
  (void)host.step();
  ASSERT_EQ(host.find(id).attempts.size(), 2u);
  EndReport late;
  late.task = id;
  late.attempt = 1;
  late.exit_status = 0;
  host.engine->ended(late);
  EXPECT_EQ(host.state(id), TaskState::running);
  host.end(id);
  EXPECT_EQ(host.state(id), TaskState::succeeded);
  late.attempt = 2;
  late.exit_status = 1;
  host.engine->ended(late);
  EXPECT_EQ(host.state(id), TaskState::succeeded);
}

TEST(DispatchEngine, RetriesAreBoundedAndDependOnTheCause) {
  struct Case {
    EndCause cause;
    bool retry_failures;
    size_t attempts;
  };
  const std::vector<Case> cases = {
      {EndCause::lost, false, 3},        {EndCause::worker, false, 3},     {EndCause::exit, false, 1},
      {EndCause::exit, true, 3},         {EndCause::signal, false, 1},     {EndCause::signal, true, 3},
      {EndCause::not_started, false, 1}, {EndCause::not_started, true, 3}, {EndCause::time_limit, true, 1}};
  for (const Case& each : cases) {
    Host host(1);
    TaskSpec spec = spec_of();
    spec.retries = 2;
    spec.retry_failures = each.retry_failures;
    const int64_t id = host.submit(spec);
    for (int i = 0; i < 5 && !is_over(host.state(id)); ++i) {
      (void)host.after(60);  // pauses of workers are over
      ASSERT_EQ(host.state(id), TaskState::running) << cause_name(each.cause);
      host.end(id, each.cause, 1);
    }
    EXPECT_EQ(host.state(id), TaskState::failed);
    EXPECT_EQ(host.find(id).attempts.size(), each.attempts) << cause_name(each.cause);
    EXPECT_EQ(host.find(id).cause, each.cause);
  }
}

TEST(DispatchEngine, AWorkerThatDoesNotAnswerIsAskedAgainAfterAPause) {
  Host host(1);
  TaskSpec spec = spec_of();
  spec.retries = 2;
  const int64_t id = host.submit(spec);
  (void)host.step();
  host.end(id, EndCause::worker);
  EXPECT_EQ(host.starts(), Ids{});
  EXPECT_EQ(host.engine->next_ns(), host.now + kSecond);
  EXPECT_EQ(host.explain(id).summary,
            "it is retried in 1 s; the last attempt failed: the worker did not respond, or refused the request");
  EXPECT_EQ(host.after(1).starts, Ids{id});
  host.end(id, EndCause::worker);
  EXPECT_EQ(host.after(1).starts, Ids{});
  EXPECT_EQ(host.after(1).starts, Ids{id});
}

TaskSpec asking_two_workers() {
  TaskSpec spec = spec_of("classify");
  spec.inference = Inference{.model = "m", .version = {}, .request = {}};
  spec.workers = {{"gpu_0", "http://127.0.0.1:1"}, {"GPU-1", "http://127.0.0.1:2"}};
  spec.memory_bytes = kGiB;
  spec.retries = 2;
  return spec;
}

TEST(DispatchEngine, AfterAWorkerFailedAnotherOneIsAsked) {
  Host host(2);
  host.gpus[1].utilization = 0.5;  // least_loaded prefers gpu_0 each time
  host.notify_gpus();
  const int64_t id = host.submit(asking_two_workers());
  (void)host.step();
  ASSERT_EQ(host.gpu_of(id), 0u);
  host.end(id, EndCause::worker);
  EXPECT_EQ(host.after(1).starts, Ids{id});
  EXPECT_EQ(host.gpu_of(id), 1u);
  const Judgement& before = host.decisions[id].gpus[0];
  ASSERT_EQ(before.refusals.size(), 1u);
  EXPECT_EQ(before.refusals[0].rule, "failed_worker");
  EXPECT_EQ(before.refusals[0].reason,
            "its worker did not respond to an earlier attempt of this task, or refused it; another worker is used");
  EXPECT_FALSE(before.score.has_value());
  host.end(id, EndCause::worker);
  EXPECT_EQ(host.after(2).starts, Ids{id});
  EXPECT_EQ(host.gpu_of(id), 0u) << "both failed: the strategy chooses";
  EXPECT_TRUE(host.decisions[id].gpus[0].refusals.empty());
}

TEST(DispatchEngine, AWorkerThatFailedIsAskedAgainWhereNoOtherCanBe) {
  Host host(2);
  const int64_t id = host.submit(asking_two_workers());
  (void)host.step();
  host.end(id, EndCause::worker);
  host.gpus[1].trouble = "the GPU is lost";
  host.notify_gpus();
  EXPECT_EQ(host.after(1).starts, Ids{id});
  EXPECT_EQ(host.gpu_of(id), 0u);
}

TEST(DispatchEngine, OnlyTheWorkerMattersToWhereARetryGoes) {
  Host host(2);
  host.gpus[1].utilization = 0.5;
  host.notify_gpus();
  const int64_t id = host.submit(asking_two_workers());
  (void)host.step();
  host.end(id, EndCause::lost);
  EXPECT_EQ(host.starts(), Ids{id});
  EXPECT_EQ(host.gpu_of(id), 0u);
}

TEST(DispatchEngine, ARetryKeepsItsPlaceAndItsTimeLimitBeginsAnew) {
  config::Config config;
  config.gpu.multi_gpu.max_concurrent_tasks_per_gpu = 1;
  Host host(1, config);
  TaskSpec spec = spec_of();
  spec.retries = 1;
  const int64_t first = host.submit(spec);
  (void)host.step();
  host.now += 3500 * kSecond;
  const int64_t second = host.submit();
  host.now += 200 * kSecond;
  host.end(first, EndCause::lost);
  EXPECT_EQ(host.starts(), Ids{first});
  EXPECT_EQ(host.state(second), TaskState::waiting);
}

TEST(DispatchEngine, OutOfMemoryIsRetriedWhereThereIsMoreRoom) {
  Host host(2);
  host.gpus[0].memory_total_bytes = 24 * kGiB;
  host.notify_gpus();
  TaskSpec spec = spec_of();
  spec.retries = 2;
  spec.strategy = "memory_optimized";
  const int64_t id = host.submit(spec);
  (void)host.step();
  ASSERT_EQ(host.gpu_of(id), 0u);
  host.end(id, EndCause::out_of_memory);
  EXPECT_EQ(host.find(id).least_room_bytes, 24 * kGiB);
  EXPECT_EQ(host.starts(), Ids{id});
  EXPECT_EQ(host.gpu_of(id), 1u);
  EXPECT_EQ(host.find(id).last()->reserved_bytes, 24 * kGiB + 1);
  EXPECT_EQ(host.decisions[id].gpus[0].refusals.at(0).rule, "more_room");
  EXPECT_TRUE(host.decisions[id].gpus[0].refusals.at(0).is_for_good);
  host.end(id, EndCause::out_of_memory);
  (void)host.step();
  EXPECT_EQ(host.state(id), TaskState::failed);
  EXPECT_EQ(host.find(id).cause, EndCause::out_of_memory);
  EXPECT_NE(host.find(id).reason.find("with 80.0 GiB available, and no eligible GPU has more"), std::string::npos);
}

TEST(DispatchEngine, OutOfMemoryBesideOthersWaitsForMoreRoomOnTheSameGpu) {
  Host host(1);
  const int64_t other = host.submit_gib(50);
  TaskSpec spec = spec_of();
  spec.retries = 1;
  const int64_t id = host.submit(spec);
  EXPECT_EQ(host.starts().size(), 2u);
  host.end(id, EndCause::out_of_memory);
  EXPECT_EQ(host.starts(), Ids{});
  EXPECT_EQ(host.find(id).least_room_bytes, 30 * kGiB);
  EXPECT_EQ(host.refused_by(id, 0), Rules{"more_room"});
  host.end(other);
  EXPECT_EQ(host.starts(), Ids{id});
}

TEST(DispatchEngine, CancelsWhatWaitsAtOnceAndWhatRunsOnceItEnded) {
  config::Config config;
  config.gpu.multi_gpu.max_concurrent_tasks_per_gpu = 1;
  Host host(1, config);
  const int64_t running = host.submit();
  const int64_t waiting = host.submit();
  (void)host.step();
  EXPECT_TRUE(host.engine->cancel(waiting, "alice", host.now));
  EXPECT_EQ(host.state(waiting), TaskState::cancelled);
  EXPECT_EQ(host.find(waiting).reason, "cancelled by alice");
  EXPECT_FALSE(host.engine->cancel(waiting, "alice", host.now));
  EXPECT_TRUE(host.engine->cancel(running, "bob", host.now));
  EXPECT_TRUE(host.engine->cancel(running, "carol", host.now));
  const Step step = host.step();
  EXPECT_EQ(step.cancels, Ids{running});
  EXPECT_EQ(host.state(running), TaskState::running);
  host.end(running, EndCause::cancelled);
  EXPECT_EQ(host.state(running), TaskState::cancelled);
  EXPECT_EQ(host.find(running).cancelled_by, "bob");
  EXPECT_FALSE(host.engine->cancel(99, "alice", host.now));
}

TEST(DispatchEngine, TasksComeAfterOthers) {
  Host host(1);
  const int64_t a = host.submit();
  const int64_t b = host.submit();
  TaskSpec spec = spec_of();
  spec.after = {a, b};
  const int64_t last = host.submit(spec);
  (void)host.step();
  EXPECT_EQ(host.state(last), TaskState::blocked);
  EXPECT_EQ(host.explain(last).summary, "it waits for its dependencies to succeed: task 1 (running), task 2 (running)");
  host.now += 100 * kSecond;
  host.end(a);
  EXPECT_EQ(host.starts(), Ids{});
  host.end(b);
  EXPECT_EQ(host.starts(), Ids{last});
  EXPECT_EQ(host.find(last).ready_ns, host.now);
}

TEST(DispatchEngine, WhatComesAfterAFailureIsCancelledAllAlongTheChain) {
  Host host(1);
  int64_t before = host.submit();
  const int64_t first = before;
  Ids chain;
  for (int i = 0; i < 900; ++i) {
    TaskSpec spec = spec_of();
    spec.after = {before};
    chain.push_back(before = host.submit(spec));
  }
  (void)host.step();
  host.end(first, EndCause::exit, 1);
  for (const int64_t id : chain) {
    ASSERT_EQ(host.state(id), TaskState::cancelled);
    ASSERT_EQ(host.find(id).cause, EndCause::dependency);
  }
  EXPECT_EQ(host.find(chain[0]).reason, "task 1, on which it depends, failed");
  EXPECT_EQ(host.find(chain[1]).reason, "task 2, on which it depends, was cancelled");
  EXPECT_EQ(host.engine->counts().queue_length, 0);
}

TEST(DispatchEngine, TasksThatAreOverAndDroppedCanStillBeDependedOn) {
  Host host(1);
  const int64_t good = host.submit();
  const int64_t bad = host.submit();
  (void)host.step();
  host.end(good);
  host.end(bad, EndCause::exit, 1);
  host.engine->drop_over();  // their ends are in no step yet
  EXPECT_NE(host.engine->find(good), nullptr);
  (void)host.step();
  host.engine->drop_over();
  EXPECT_EQ(host.engine->find(good), nullptr);
  TaskSpec spec = spec_of();
  spec.after = {good};
  const int64_t runs = host.submit(spec);
  spec.after = {bad};
  const int64_t cancelled = host.submit(spec);
  EXPECT_EQ(host.starts(), Ids{runs});
  EXPECT_EQ(host.find(cancelled).cause, EndCause::dependency);
  spec.after = {4711};
  EXPECT_EQ(host.engine->submit(spec, host.now).error().code, "unknown_dependency");
  host.engine->recall(4711, TaskState::succeeded);
  EXPECT_TRUE(host.engine->submit(spec, host.now).has_value());
}

TEST(DispatchEngine, ForgettingASubmissionLeavesNothingOfIt) {
  config::Config config;
  config.gpu.multi_gpu.max_concurrent_tasks_per_gpu = 1;
  Host host(1, config);
  const int64_t started = host.submit();
  const int64_t waiting = host.submit();
  const int64_t kept = host.submit();
  EXPECT_EQ(host.starts(), Ids{started});
  host.engine->forget(started);
  host.engine->forget(waiting);
  EXPECT_EQ(host.engine->find(started), nullptr);
  const Step step = host.step();
  EXPECT_EQ(step.starts, Ids{kept});
  EXPECT_EQ(step.changed_tasks, Ids{kept});
  EXPECT_EQ(host.engine->counts().queue_length, 0);
  const int64_t batch = host.engine->submit_batch("b", {spec_of(), spec_of()}, host.now).value();
  const Ids tasks = host.engine->find_batch(batch)->tasks;
  for (const int64_t id : tasks) host.engine->forget(id);
  EXPECT_EQ(host.engine->find_batch(batch), nullptr);
  EXPECT_TRUE(host.step().changed_batches.empty());
}

TEST(DispatchEngine, NothingStartsWhileItDrains) {
  Host host(1);
  const int64_t id = host.submit();
  host.engine->drain();
  EXPECT_EQ(host.starts(), Ids{});
  EXPECT_EQ(host.explain(id).summary, "the service is draining for shutdown; nothing starts until it is running again");
}

TEST(DispatchEngine, ARestartGoesOnWhereItWas) {
  config::Config config;
  config.gpu.multi_gpu.max_concurrent_tasks_per_gpu = 2;
  Host before(2, config);
  std::vector<Task> saved;
  Ids ids;
  for (int i = 0; i < 4; ++i) ids.push_back(before.submit("default", i == 3 ? "high" : "low"));
  (void)before.step();
  const int64_t waiting = before.submit();
  const int64_t done = ids[0];
  before.end(done);
  TaskSpec spec = spec_of();
  spec.after = {ids[1], done};
  const int64_t blocked = before.submit(spec);
  EXPECT_TRUE(before.engine->cancel(ids[2], "alice", before.now));
  for (const int64_t id : {ids[0], ids[1], ids[2], ids[3], waiting, blocked}) saved.push_back(before.find(id));

  Host host(2, config);
  host.now = before.now + kSecond;
  host.engine->restore(saved, {}, blocked, 0);
  host.notify_gpus();
  const Step step = host.step();
  EXPECT_EQ(step.starts, Ids{waiting});  // the one free slot
  EXPECT_EQ(step.cancels, Ids{ids[2]});
  EXPECT_EQ(host.gpu_of(waiting), before.gpu_of(done));
  EXPECT_EQ(host.engine->running().size(), 4u);
  host.end(ids[1]);
  EXPECT_EQ(host.starts(), Ids{blocked});
  EXPECT_EQ(host.submit(), blocked + 1);
}

TEST(DispatchEngine, RefusesWhatNoWaitingHelps) {
  config::Config config;
  Host host(2, config);
  const auto code = [&](const TaskSpec& spec) {
    const auto answer = host.engine->submit(spec, host.now);
    return answer ? std::string("accepted") : answer.error().code;
  };
  TaskSpec spec = spec_of();
  spec.gpus = 3;
  EXPECT_EQ(code(spec), "too_many_gpus");
  spec.gpus = 2;
  EXPECT_EQ(code(spec), "accepted");
  spec.memory_bytes = 81 * kGiB;
  EXPECT_EQ(code(spec), "too_much_memory");
  spec = spec_of();
  spec.strategy = "randum";
  const auto unknown = host.engine->submit(spec, host.now);
  EXPECT_EQ(unknown.error().code, "unknown_strategy");
  EXPECT_NE(unknown.error().detail.find("did you mean 'random'?"), std::string::npos) << unknown.error().detail;
  EXPECT_EQ(code(spec_of("default", "urgent")), "unknown_priority");
  host.config->gpu.multi_gpu.enabled = false;
  host.notify_config();
  spec = spec_of();
  spec.gpus = 2;
  EXPECT_EQ(code(spec), "too_many_gpus");
  host.config->gpu.enabled = false;
  host.notify_config();
  EXPECT_EQ(code(spec_of()), "gpus_disabled");
  spec.gpus = 0;
  EXPECT_EQ(code(spec), "accepted");
  host.config->sonde.tasks.enabled = false;
  host.notify_config();
  EXPECT_EQ(code(spec), "tasks_disabled");
}

TEST(DispatchEngine, WaitingTasksWaitWhileGpusAreDisabled) {
  Host host(1);
  const int64_t id = host.submit();
  host.config->gpu.enabled = false;
  host.notify_config();
  EXPECT_EQ(host.starts(), Ids{});
  EXPECT_EQ(host.refused_by(id, 0), Rules{"enabled"});
  host.config->gpu.enabled = true;
  host.notify_config();
  EXPECT_EQ(host.starts(), Ids{id});
}

/// Random inputs; after each step nothing is given twice, and states, queue and counts agree.
class Invariants {
 public:
  explicit Invariants(uint64_t seed) : random_(seed), host_(4, limits(), seed) {}

  void run(int operations) {
    for (int i = 0; i < operations; ++i) {
      operate();
      host_.now += static_cast<int64_t>(random_() % 20) * kSecond;
      for (const int64_t id : host_.starts()) {
        const std::vector<Attempt>& attempts = host_.find(id).attempts;
        if (attempts.size() > 1) {
          ASSERT_GE(attempts.back().started_ns, attempts[attempts.size() - 2].ended_ns.value());
        }
      }
      check();
      if (::testing::Test::HasFatalFailure()) return;
      if (pick(4) == 0) host_.engine->drop_over();
    }
  }

 private:
  static config::Config limits() {
    config::Config config;
    config.gpu.multi_gpu.max_concurrent_tasks_per_gpu = 3;
    config.gpu.multi_gpu.max_queue_size = 100;
    config.gpu.multi_gpu.queue_timeout = 2000;
    return config;
  }
  uint64_t pick(uint64_t count) { return random_() % count; }
  TaskSpec spec() {
    static const std::vector<std::string> kPriorities = {"high", "normal", "low"};
    TaskSpec spec = spec_of(pick(2) == 0 ? "a" : "b", kPriorities[pick(3)]);
    spec.gpus = pick(5) == 0 ? static_cast<int64_t>(pick(5)) : 1;
    if (pick(2) == 0) spec.memory_bytes = static_cast<int64_t>(1 + pick(80)) * kGiB;
    if (pick(3) == 0) spec.time_limit_ns = static_cast<int64_t>(1 + pick(500)) * kSecond;
    spec.retries = static_cast<int64_t>(pick(3));
    if (last_ > 0 && pick(4) == 0) spec.after = {static_cast<int64_t>(1 + pick(static_cast<uint64_t>(last_)))};
    return spec;
  }
  void operate() {
    switch (pick(10)) {
      case 0: end_some(EndCause::out_of_memory); break;
      case 1: end_some(EndCause::lost); break;
      case 2:
      case 3:
      case 4: end_some(EndCause::exit); break;
      case 5:
        (void)host_.engine->cancel(static_cast<int64_t>(1 + pick(static_cast<uint64_t>(last_ + 1))), "x", host_.now);
        break;
      case 6: change_gpus(); break;
      case 7: submit_batch(); break;
      default:
        if (const auto id = host_.engine->submit(spec(), host_.now)) last_ = *id;
    }
  }
  void end_some(EndCause cause) {
    const auto running = host_.engine->running();
    if (!running.empty()) host_.end(running[pick(running.size())]->id, cause, static_cast<int64_t>(pick(2)));
  }
  void change_gpus() {
    GpuState& gpu = host_.gpus[pick(4)];
    gpu.trouble = pick(4) == 0 ? "lost" : "";
    gpu.temperature_celsius = 70.0 + static_cast<double>(pick(20));
    gpu.foreign_bytes = static_cast<int64_t>(pick(30)) * kGiB;
    host_.notify_gpus();
  }
  void submit_batch() {
    if (const auto id = host_.engine->submit_batch("b", std::vector(1 + pick(20), spec()), host_.now)) {
      last_ = host_.engine->find_batch(*id)->tasks.back();
    }
  }
  void check() {
    std::map<std::string, int64_t> tasks;
    std::map<std::string, int64_t> reserved;
    for (const Task* const task : host_.engine->running()) {
      ASSERT_EQ(task->state, TaskState::running);
      const Attempt& attempt = *task->last();
      ASSERT_FALSE(attempt.ended_ns.has_value());
      ASSERT_EQ(static_cast<int64_t>(attempt.gpus.size()), task->spec.gpus);
      ASSERT_LE(static_cast<int64_t>(task->attempts.size()), 1 + task->spec.retries);
      for (const std::string& gpu : attempt.gpus) {
        tasks[gpu] += 1;
        reserved[gpu] += attempt.reserved_bytes;
      }
    }
    for (const auto& [gpu, count] : tasks) {
      ASSERT_LE(count, 3) << gpu;
      ASSERT_LE(reserved[gpu], 80 * kGiB) << gpu;
    }
    const EngineCounts counts = host_.engine->counts();
    const auto of = [&](TaskState state) {
      const auto found = counts.by_state.find(state);
      return found == counts.by_state.end() ? int64_t{0} : found->second;
    };
    const auto queue = host_.engine->queue(100000);
    ASSERT_EQ(of(TaskState::running), std::ssize(host_.engine->running()));
    ASSERT_EQ(of(TaskState::waiting), std::ssize(queue));
    ASSERT_EQ(counts.queue_length, of(TaskState::waiting) + of(TaskState::blocked));
    for (const Task* const task : queue) {
      ASSERT_EQ(task->state, TaskState::waiting);
      ASSERT_LE(host_.now - task->ready_ns, 100000 * kSecond);
    }
  }

  std::mt19937_64 random_;
  Host host_;
  int64_t last_ = 0;
};

TEST(DispatchEngine, KeepsItsInvariantsUnderRandomInputs) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Invariants(seed).run(600);
    if (HasFatalFailure()) return;
  }
}

TEST(DispatchEngine, DecidesTheSameFromTheSameInputs) {
  const auto decided = [] {
    config::Config config;
    config.gpu.multi_gpu.default_strategy = "random";
    Host host(8, config, 5);
    std::mt19937_64 random(3);
    std::vector<std::pair<int64_t, std::vector<size_t>>> all;
    for (int i = 0; i < 200; ++i) {
      TaskSpec spec = spec_of();
      spec.gpus = static_cast<int64_t>(1 + random() % 3);
      spec.memory_bytes = static_cast<int64_t>(1 + random() % 40) * kGiB;
      (void)host.engine->submit(spec, host.now);
      for (const int64_t id : host.starts()) all.emplace_back(id, host.gpus_of(id));
      const auto running = host.engine->running();
      if (i % 2 == 1 && !running.empty()) host.end(running[random() % running.size()]->id);
    }
    return all;
  };
  const auto first = decided();
  EXPECT_GT(first.size(), 100u);
  EXPECT_EQ(first, decided());
}

}  // namespace dispatch_engine_test
}  // namespace sonde::dispatch
