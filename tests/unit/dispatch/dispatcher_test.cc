#include <gtest/gtest.h>

#include <future>

#include "api/kept_log.h"
#include "dispatch/dispatcher/core.h"
#include "dispatch/dispatcher_fakes.h"
#include "monitor/monitor_parts.h"

namespace sonde::dispatch {
namespace dispatcher_test {

using monitor::kSecond;
using monitor::kStart;
using Outcome = std::optional<std::expected<Made, Refused>>;

TaskSpec a_spec(const std::string& key = {}) {
  TaskSpec spec;
  spec.type = "default";
  spec.priority = "normal";
  spec.command = {"/bin/true"};
  spec.memory_bytes = 1LL << 30;
  spec.retries = 2;
  spec.submitted_by = "lead";
  spec.idempotency_key = key;
  return spec;
}

EndReport end_of(int64_t task, EndCause cause = EndCause::exit, int64_t attempt = 1) {
  EndReport report;
  report.task = task;
  report.attempt = attempt;
  report.cause = cause;
  if (cause == EndCause::exit) report.exit_status = 0;
  report.ended_ns = kStart + 5 * kSecond;
  return report;
}

class DispatcherTest : public ::testing::Test {
 protected:
  DispatcherTest() {
    for (int i = 0; i < 2; ++i) monitor_.add_gpu(kStart);
  }
  ~DispatcherTest() override {
    if (core_) core_->end();
  }

  DispatcherParts parts() {
    DispatcherParts parts;
    parts.config = &config_;
    parts.log = &log_;
    parts.monitor = &monitor_;
    parts.events = &events_;
    parts.store = &store_;
    parts.simulated = [this] { return source_; };
    parts.now_ns = [this] { return now_ns_; };
    return parts;
  }
  Core& core() {
    if (!core_) {
      core_ = std::make_unique<Core>(parts());
      EXPECT_TRUE(core_->restore());
      core_->begin(executor_);
    }
    return *core_;
  }
  void turn(std::vector<Input> inputs = {}) { core().turn({.all = std::move(inputs)}); }
  void turn_at(int64_t seconds, std::vector<Input> inputs = {}) {
    now_ns_ = kStart + seconds * kSecond;
    turn(std::move(inputs));
  }
  Input submission(TaskSpec spec, Outcome& outcome) {
    return SubmitInput{.spec = std::move(spec), .answered = [this, &outcome](std::expected<Made, Refused> answer) {
                         happened_.push_back(answer ? fmt::format("answer {}", answer->id) : answer.error().code);
                         outcome = std::move(answer);
                       }};
  }
  int64_t submit(TaskSpec spec = a_spec()) {
    Outcome outcome;
    std::vector<Input> inputs;
    inputs.push_back(submission(std::move(spec), outcome));
    turn(std::move(inputs));
    return outcome && *outcome ? (*outcome)->id : 0;
  }
  std::string refused(TaskSpec spec = a_spec()) {
    Outcome outcome;
    std::vector<Input> inputs;
    inputs.push_back(submission(std::move(spec), outcome));
    turn(std::move(inputs));
    return outcome && !*outcome ? outcome->error().code : "";
  }
  std::vector<Input> cancellation(int64_t task, std::optional<Result<bool>>& outcome) {
    std::vector<Input> inputs;
    inputs.emplace_back(
        CancelInput{.task = task, .by = "lead", .answered = [&](Result<bool> answer) { outcome = std::move(answer); }});
    return inputs;
  }
  bool has(const std::string& what) const { return std::ranges::find(happened_, what) != happened_.end(); }
  int64_t place(const std::string& what) const { return std::ranges::find(happened_, what) - happened_.begin(); }
  TaskState state(int64_t task) { return core().queries().find(task).value().value().state; }
  std::vector<std::string> lines() {
    core().end();
    return log_.lines();
  }
  static bool any(const std::vector<std::string>& lines, const std::string& part) {
    return std::ranges::any_of(lines, [&](const std::string& line) { return line.find(part) != std::string::npos; });
  }

  int64_t now_ns_ = kStart;
  Happened happened_;
  monitor::TestConfig config_;
  KeptLog log_;
  monitor::EventLog events_;
  FakeMonitor monitor_;
  FakeStore store_{happened_};
  FakeExecutor executor_{happened_};
  std::shared_ptr<device::simulated::Source> source_;
  std::unique_ptr<Core> core_;
};

TEST_F(DispatcherTest, SavesBeforeItAnswersAndStarts) {
  ASSERT_EQ(submit(), 1);
  EXPECT_LT(place("save 1"), place("answer 1"));
  EXPECT_LT(place("answer 1"), place("start 1.1"));
  EXPECT_EQ(store_.tasks.at(1).state, TaskState::running);
  ASSERT_EQ(store_.decided.size(), 1U);
  EXPECT_EQ(store_.decided[0].strategy, "least_loaded");
  const Launch& launch = executor_.launches.at(0);
  EXPECT_EQ(launch.command, std::vector<std::string>{"/bin/true"});
  const auto visible =
      std::ranges::find(launch.environment, "CUDA_VISIBLE_DEVICES", &std::pair<std::string, std::string>::first);
  ASSERT_NE(visible, launch.environment.end());
  EXPECT_EQ(visible->second, store_.tasks.at(1).last()->gpus.at(0));
}

TEST_F(DispatcherTest, WhatCameTogetherIsOneTransaction) {
  std::array<Outcome, 5> outcomes;
  std::vector<Input> inputs;
  for (Outcome& outcome : outcomes) inputs.push_back(submission(a_spec(), outcome));
  turn(std::move(inputs));
  EXPECT_EQ(std::ranges::count(happened_, "save 5"), 1);
  for (const Outcome& outcome : outcomes) EXPECT_TRUE(outcome && *outcome);
}

TEST_F(DispatcherTest, AnEndIsForgottenByTheExecutorOnceItIsSaved) {
  submit();
  happened_.clear();
  turn_at(6, {end_of(1)});
  EXPECT_EQ(happened_, (Happened{"save 1", "collected 1.1"}));
  EXPECT_EQ(store_.tasks.at(1).state, TaskState::succeeded);
  EXPECT_EQ(state(1), TaskState::succeeded) << "from the store: the engine has dropped it";
}

TEST_F(DispatcherTest, WhatCannotBeSavedIsRefusedAndNothingStarts) {
  core();
  store_.fails = true;
  EXPECT_EQ(refused(), "not_saved");
  EXPECT_TRUE(executor_.launches.empty());
  EXPECT_NE(core().snapshot()->trouble.find("disk is full"), std::string::npos);
  EXPECT_EQ(core().queries().queue(10).size(), 0U);
  EXPECT_EQ(refused(), "not_saved") << "without another try";
  EXPECT_EQ(core().next_ns(), kStart + kSecond);
  turn_at(1);
  turn_at(2);
  EXPECT_EQ(store_.probes, 2);
  store_.fails = false;
  turn_at(3);
  EXPECT_EQ(core().snapshot()->trouble, "");
  EXPECT_GT(submit(), 0);
  const auto said = lines();
  EXPECT_EQ(
      std::ranges::count_if(said, [](const std::string& line) { return line.starts_with("error: tasks cannot"); }), 1);
  EXPECT_TRUE(any(said, "info: tasks are saved again"));
}

TEST_F(DispatcherTest, EndsAreKeptUntilTheyCanBeSaved) {
  submit();
  store_.fails = true;
  happened_.clear();
  turn_at(6, {end_of(1)});
  EXPECT_FALSE(has("collected 1.1"));
  turn_at(7);
  store_.fails = false;
  turn_at(8);
  EXPECT_TRUE(has("collected 1.1"));
  EXPECT_EQ(store_.tasks.at(1).state, TaskState::succeeded);
  EXPECT_EQ(store_.tasks.at(1).ended_ns, kStart + 5 * kSecond);
}

TEST_F(DispatcherTest, WhatWaitsStartsOnceItCanBeSaved) {
  config_.change([](config::Config& config) { config.gpu.multi_gpu.max_concurrent_tasks_per_gpu = 1; });
  for (int i = 0; i < 3; ++i) submit();
  ASSERT_EQ(executor_.launches.size(), 2U);
  store_.fails = true;
  turn_at(6, {end_of(1)});
  turn_at(7);
  EXPECT_EQ(executor_.launches.size(), 2U) << "the third was decided, and not begun";
  store_.fails = false;
  turn_at(8);
  ASSERT_EQ(executor_.launches.size(), 3U);
  EXPECT_EQ(executor_.launches[2].task, 3);
}

TEST_F(DispatcherTest, ARunningTaskCanBeCancelledWhileNothingCanBeSaved) {
  submit();
  store_.fails = true;
  EXPECT_EQ(refused(), "not_saved");
  std::optional<Result<bool>> outcome;
  turn(cancellation(1, outcome));
  EXPECT_TRUE(has("cancel 1.1")) << "it may be what fills the disk";
  turn_at(1);
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(*outcome) << "it is not on disk";
}

TEST_F(DispatcherTest, CancelsWhatRunsAndWhatWaits) {
  config_.change([](config::Config& config) { config.gpu.multi_gpu.max_concurrent_tasks_per_gpu = 1; });
  for (int i = 0; i < 3; ++i) submit();
  std::optional<Result<bool>> outcome;
  turn(cancellation(1, outcome));
  ASSERT_TRUE(outcome && *outcome);
  EXPECT_TRUE(**outcome);
  EXPECT_TRUE(has("cancel 1.1"));
  EXPECT_TRUE(store_.tasks.at(1).cancelling);
  turn(cancellation(3, outcome));
  EXPECT_EQ(store_.tasks.at(3).state, TaskState::cancelled);
  turn(cancellation(99, outcome));
  EXPECT_FALSE(**outcome);
}

TEST_F(DispatcherTest, AKeyMakesOneTask) {
  std::array<Outcome, 2> outcomes;
  std::vector<Input> inputs;
  for (Outcome& outcome : outcomes) inputs.push_back(submission(a_spec("once"), outcome));
  turn(std::move(inputs));
  EXPECT_EQ((*outcomes[0])->id, 1);
  EXPECT_TRUE((*outcomes[0])->is_new);
  EXPECT_EQ((*outcomes[1])->id, 1);
  EXPECT_FALSE((*outcomes[1])->is_new);
  turn({end_of(1)});
  EXPECT_EQ(submit(a_spec("once")), 1) << "from the store";
  EXPECT_EQ(store_.tasks.size(), 1U);
}

TEST_F(DispatcherTest, SwitchedOffTakesNothingButAnswersAKeyAgain) {
  EXPECT_EQ(submit(a_spec("once")), 1);
  config_.change([](config::Config& config) { config.sonde.tasks.enabled = false; });
  core().turn({.all = {}, .config_changed = true});
  EXPECT_EQ(refused(), "tasks_disabled");
  EXPECT_EQ(submit(a_spec("once")), 1);
}

TEST_F(DispatcherTest, AnEndIsToldOnceItIsSaved) {
  submit();
  ASSERT_EQ(state(1), TaskState::running);
  store_.fails = true;
  turn({end_of(1)});
  EXPECT_EQ(state(1), TaskState::running);
  store_.fails = false;
  turn_at(2);
  EXPECT_EQ(state(1), TaskState::succeeded);
}

TEST_F(DispatcherTest, AKeyThatCannotBeLookedUpMakesNothing) {
  core();
  store_.keys_fail = true;
  EXPECT_EQ(refused(a_spec("once")), "tasks_unreadable");
  EXPECT_TRUE(store_.tasks.empty());
  store_.keys_fail = false;
  EXPECT_EQ(submit(a_spec("once")), 1);
}

TEST_F(DispatcherTest, AKeyWhoseTaskWasNotSavedIsFree) {
  core();
  store_.fails = true;
  EXPECT_EQ(refused(a_spec("once")), "not_saved");
  store_.fails = false;
  turn_at(1);
  EXPECT_GT(submit(a_spec("once")), 0);
}

TEST_F(DispatcherTest, TheConfigurationHoldsAtOnce) {
  config_.change([](config::Config& config) { config.gpu.multi_gpu.max_concurrent_tasks_per_gpu = 1; });
  for (int i = 0; i < 4; ++i) submit();
  EXPECT_EQ(executor_.launches.size(), 2U);
  config_.change([](config::Config& config) { config.gpu.multi_gpu.max_concurrent_tasks_per_gpu = 2; });
  core().turn({.all = {}, .config_changed = true});
  EXPECT_EQ(executor_.launches.size(), 4U);
}

TEST_F(DispatcherTest, GpusThatComeLaterStartWhatWaits) {
  monitor_.host->gpus.clear();
  submit();
  EXPECT_TRUE(executor_.launches.empty());
  EXPECT_EQ(core().next_ns(), kStart + kSecond / 10) << "queue_processing_interval";
  EXPECT_GT(monitor_.looks, 0);
  monitor_.add_gpu(kStart);
  core().turn({.all = {}, .gpus_read = true});
  EXPECT_EQ(executor_.launches.size(), 1U);
}

TEST_F(DispatcherTest, AnotherIntervalHoldsAtOnce) {
  monitor_.host->gpus.clear();
  submit();
  config_.change([](config::Config& config) { config.gpu.multi_gpu.queue_processing_interval = 0.05; });
  core().turn({.all = {}, .config_changed = true});
  EXPECT_EQ(core().next_ns(), kStart + kSecond / 20);
}

Task a_running_task(int64_t id) {
  Task task;
  task.id = id;
  task.spec = a_spec();
  task.state = TaskState::running;
  task.submitted_ns = task.ready_ns = kStart - kSecond;
  task.started_ns = kStart;
  Attempt attempt;
  attempt.gpus = {"GPU-0"};
  attempt.started_ns = kStart;
  task.attempts.push_back(attempt);
  return task;
}

TEST_F(DispatcherTest, GoesOnAfterARestart) {
  Task waiting = a_running_task(8);
  waiting.state = TaskState::waiting;
  waiting.attempts.clear();
  waiting.started_ns.reset();
  store_.restored = {.tasks = {a_running_task(7), waiting}, .batches = {}, .measured = {}, .last_task = 9};
  for (const Task& task : store_.restored.tasks) store_.tasks[task.id] = task;
  core();
  EXPECT_EQ(executor_.adopted, (std::vector<std::pair<int64_t, int64_t>>{{7, 1}}));
  turn();
  ASSERT_EQ(executor_.launches.size(), 1U);
  EXPECT_EQ(executor_.launches[0].task, 8);
  EXPECT_EQ(submit(), 10);
  turn_at(6, {end_of(7)});
  EXPECT_EQ(store_.tasks.at(7).state, TaskState::succeeded);
}

TEST_F(DispatcherTest, AnAttemptThatWasDecidedAndNeverBegunBeginsAfterARestart) {
  store_.restored = {.tasks = {a_running_task(7)}, .batches = {}, .measured = {}, .last_task = 7};
  core();
  turn({end_of(7, EndCause::not_started)});
  ASSERT_EQ(executor_.launches.size(), 1U);
  EXPECT_EQ(executor_.launches[0].attempt, 1);
  turn({end_of(7, EndCause::not_started)});
  EXPECT_EQ(executor_.launches.size(), 1U) << "the second time it is what it says";
  EXPECT_EQ(store_.tasks.at(7).state, TaskState::failed);
}

TEST_F(DispatcherTest, AnAttemptThatWasLostIsTriedAgain) {
  store_.restored = {.tasks = {a_running_task(7)}, .batches = {}, .measured = {}, .last_task = 7};
  core();
  turn({end_of(7, EndCause::lost)});
  ASSERT_EQ(executor_.launches.size(), 1U);
  EXPECT_EQ(executor_.launches[0].attempt, 2);
  EXPECT_EQ(core().snapshot()->counts.retries.at("lost"), 1);
}

TEST_F(DispatcherTest, ASubmissionMayComeAfterATaskThatWasDropped) {
  submit();
  turn({end_of(1)});
  TaskSpec next = a_spec();
  next.after = {1};
  EXPECT_EQ(submit(next), 2);
  EXPECT_EQ(executor_.launches.size(), 2U);
  next.after = {77};
  EXPECT_EQ(refused(next), "unknown_dependency");
}

TEST_F(DispatcherTest, CountsWhatItDoes) {
  config_.change([](config::Config& config) { config.gpu.multi_gpu.max_concurrent_tasks_per_gpu = 1; });
  for (int i = 0; i < 3; ++i) submit();
  turn_at(6, {end_of(1)});
  const auto snapshot = core().snapshot();
  EXPECT_EQ(snapshot->counts.submitted.at("default"), 3);
  EXPECT_EQ((snapshot->counts.ended.at({"default", "succeeded"})), 1);
  EXPECT_EQ(snapshot->counts.decisions.at("least_loaded"), 3);
  EXPECT_EQ(snapshot->counts.wait_sum_s.at("normal"), 6);
  EXPECT_EQ(snapshot->counts.wait_buckets.at("normal").at(0), 2);
  ASSERT_EQ(snapshot->gpus.size(), 2U);
  EXPECT_EQ(snapshot->gpus[0].tasks + snapshot->gpus[1].tasks, 2);
  EXPECT_EQ(snapshot->gpus[0].reserved_bytes, 1LL << 30);
  EXPECT_FALSE(snapshot->oldest_ready_ns);
}

TEST_F(DispatcherTest, RefusesBeyondTheLimitOfFiles) {
  executor_.kept_bytes = (10LL << 30) + 1;
  EXPECT_EQ(refused(), "disk_limit");
  EXPECT_EQ(core().snapshot()->counts.refused.at("disk_limit"), 1);
}

TEST_F(DispatcherTest, RemovesOldTasksWithTheirFiles) {
  Task old = a_running_task(3);
  old.state = TaskState::succeeded;
  old.ended_ns = kStart - 31LL * 86'400 * kSecond;
  store_.tasks[3] = old;
  turn();
  core().end();
  EXPECT_TRUE(store_.tasks.empty());
  EXPECT_EQ(executor_.removed, std::vector<int64_t>{3});
}

TEST_F(DispatcherTest, StartsNothingOnceItDrains) {
  submit();
  core().drain();
  EXPECT_EQ(refused(), "stopping");
  EXPECT_EQ(core().requests(), 0);
  turn({end_of(1, EndCause::lost)});
  EXPECT_EQ(executor_.launches.size(), 1U);
  EXPECT_EQ(store_.tasks.at(1).state, TaskState::waiting);
}

TEST_F(DispatcherTest, LogAndEventsTellOfDecisionsAndBatches) {
  std::vector<Input> inputs;
  Outcome outcome;
  inputs.emplace_back(BatchInput{.name = "images",
                                 .idempotency_key = "b",
                                 .specs = std::vector<TaskSpec>(8, a_spec()),
                                 .answered = [&](std::expected<Made, Refused> answer) { outcome = answer; }});
  turn(std::move(inputs));
  ASSERT_TRUE(outcome && *outcome);
  std::vector<Input> ends;
  for (int64_t i = 1; i <= 8; ++i) ends.emplace_back(end_of(i));
  turn_at(6, std::move(ends));
  const auto said = lines();
  EXPECT_TRUE(any(said, "strategy=least_loaded"));
  EXPECT_TRUE(any(said, "batch submitted batch=1 tasks=8 name=images by=lead"));
  EXPECT_TRUE(any(said, "batch split batch=1 tasks=8 name=images split=GPU-0:4 GPU-1:4"));
  EXPECT_TRUE(any(said, "batch finished batch=1 tasks=8 name=images succeeded=8"));
  bool missed = false;
  std::map<std::string, int> types;
  for (const monitor::Event& event : events_.after(0, 1000, missed)) ++types[event.type];
  EXPECT_EQ(types["batch"], 3);
  EXPECT_GE(types["task"], 24) << "submitted, started, ended";
  EXPECT_GE(types["queue"], 1);
}

TEST_F(DispatcherTest, PutsTasksOnSimulatedGpus) {
  device::simulated::HostDescription host;
  host.gpus.resize(2);
  int64_t simulated_ns = 0;
  source_ = std::make_shared<device::simulated::Source>(
      host,
      device::simulated::Clock{.now_ns = [&] { return simulated_ns; }, .sleep = {}, .moment_ns = [] { return 0; }});
  TaskSpec spec = a_spec();
  spec.simulated_memory_bytes = 3LL << 30;
  submit(spec);
  executor_.pids[4242] = {1, 1};
  turn();
  const size_t gpu = store_.tasks.at(1).last()->gpus.at(0) == "GPU-0" ? 0 : 1;
  device::GpuReading reading;
  ASSERT_TRUE(source_->read(gpu, device::fast | device::processes, reading));
  EXPECT_EQ(reading.memory_used_bytes, 3LL << 30);
  ASSERT_EQ(reading.running->size(), 1U);
  EXPECT_EQ(reading.running->front().pid, 4242);
  EXPECT_GT(monitor_.looks, 0);
  turn_at(6, {end_of(1)});
  ASSERT_TRUE(source_->read(gpu, device::fast | device::processes, reading));
  EXPECT_EQ(reading.memory_used_bytes, 0);
}

TEST_F(DispatcherTest, ExplainsWhatRanByItsDecisions) {
  submit();
  const auto explained = core().queries().explain(1);
  ASSERT_TRUE(explained && *explained);
  EXPECT_EQ((*explained)->decisions.size(), 1U);
  EXPECT_FALSE(core().queries().explain(99)->has_value());
}

TEST_F(DispatcherTest, AThreadDoesItAll) {
  DispatcherParts with_executor = parts();
  std::function<void(EndReport)> ended;
  with_executor.make_executor = [&](std::function<void(EndReport)> told) -> Result<std::unique_ptr<Executor>> {
    ended = std::move(told);
    return std::make_unique<FakeExecutor>(happened_);
  };
  auto dispatcher = Dispatcher::make(with_executor);
  ASSERT_TRUE(dispatcher);
  (*dispatcher)->start();
  std::promise<int64_t> made;
  (*dispatcher)->submit(a_spec(), [&](std::expected<Made, Refused> answer) {
    made.set_value(answer ? answer->id : 0);
  });
  EXPECT_EQ(made.get_future().get(), 1);
  EXPECT_TRUE((*dispatcher)->find(1).value().has_value());
  ended(end_of(1));
  std::promise<bool> cancelled;
  (*dispatcher)->cancel(1, "lead", [&](Result<bool> done) { cancelled.set_value(done.value_or(true)); });
  EXPECT_FALSE(cancelled.get_future().get()) << "it was over by then";
  EXPECT_TRUE((*dispatcher)->alive(std::chrono::minutes(1)));
  (*dispatcher)->stop(std::chrono::milliseconds(0));
  std::promise<bool> refused;
  EXPECT_EQ(store_.tasks.at(1).state, TaskState::succeeded);
}

}  // namespace dispatcher_test
}  // namespace sonde::dispatch
