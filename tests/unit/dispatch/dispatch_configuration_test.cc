// What configuration.md says of tasks and is told nowhere else: switches, thresholds and limits as the engine keeps
// them together, and changes that hold for what waits. In the order of the document.

#include <gtest/gtest.h>

#include <functional>

#include "dispatch/dispatch_host.h"

namespace sonde::dispatch {
namespace dispatch_configuration_test {

using namespace simulated;

config::Config with_slots(int64_t slots) {
  config::Config config;
  config.gpu.multi_gpu.max_concurrent_tasks_per_gpu = slots;
  return config;
}

/// Changes the configuration of a host as a reload or a call does.
void change(Host& host, const std::function<void(config::Gpu&)>& how) {
  how(host.config->gpu);
  host.notify_config();
}

Ids batch_of(Host& host, int64_t tasks, const std::string& type = "default") {
  const auto specs = std::vector(static_cast<size_t>(tasks), spec_of(type));
  const auto id = host.engine->submit_batch("b", specs, host.now).value();
  return host.engine->find_batch(id)->tasks;
}

TEST(DispatchConfiguration, GpusThatAreSwitchedOffEndNothingThatRuns) {
  Host host(2);
  const int64_t running = host.submit();
  (void)host.step();
  TaskSpec of_host = spec_of();
  of_host.gpus = 0;
  change(host, [](config::Gpu& gpu) { gpu.enabled = false; });
  const int64_t without = host.submit(of_host);
  const Step step = host.step();
  EXPECT_TRUE(step.cancels.empty());
  EXPECT_EQ(step.starts, Ids{without}) << "it needs none";
  host.end(running);
  EXPECT_EQ(host.state(running), TaskState::succeeded);
  EXPECT_EQ(host.engine->submit(spec_of(), host.now).error().detail,
            "gpu.enabled is false: tasks that need a GPU are refused");
}

TEST(DispatchConfiguration, GpusBelowTheCapabilityAreNotUsedAndNotCounted) {
  Host host(3);
  host.gpus[0].compute_capability = 705;
  host.gpus[1].compute_capability = 800;
  host.gpus[2].compute_capability = 1000;
  host.notify_gpus();
  change(host, [](config::Gpu& gpu) { gpu.min_compute_capability = 800; });
  TaskSpec gang = spec_of();
  gang.gpus = 3;
  EXPECT_EQ(host.engine->submit(gang, host.now).error().detail,
            "the task needs 3 GPUs together, and the service can use 2 of compute capability 8.0 or higher "
            "(gpu.min_compute_capability)");
  gang.gpus = 2;
  const int64_t id = host.submit(gang);
  EXPECT_EQ(host.starts(), Ids{id});
  EXPECT_EQ(host.gpus_of(id), (std::vector<size_t>{1, 2}));
  change(host, [](config::Gpu& gpu) { gpu.min_compute_capability = 900; });
  const Ids next = {host.submit(), host.submit()};
  EXPECT_EQ(host.starts(), next);
  for (const int64_t task : next) EXPECT_EQ(host.gpu_of(task), 2u) << "10.0 is above 9.0";
}

struct Threshold {
  std::string rule;
  std::function<void(GpuState& gpu, double value)> read;
  std::function<void(config::Gpu& gpu, double value)> configure;
  double usual = 0;
};

const std::vector<Threshold>& thresholds() {
  static const std::vector<Threshold> all = {
      {.rule = "memory_threshold",
       .read = [](GpuState& gpu, double v) { gpu.memory_used_bytes = static_cast<int64_t>(v * 80.0 * kGiB); },
       .configure = [](config::Gpu& gpu, double v) { gpu.memory_threshold = v; },
       .usual = 0.9},
      {.rule = "utilization_threshold",
       .read = [](GpuState& gpu, double v) { gpu.utilization = v; },
       .configure = [](config::Gpu& gpu, double v) { gpu.utilization_threshold = v; },
       .usual = 0.95},
      {.rule = "max_temperature",
       .read = [](GpuState& gpu, double v) { gpu.temperature_celsius = v; },
       .configure = [](config::Gpu& gpu, double v) { gpu.max_temperature = v; },
       .usual = 85},
  };
  return all;
}

TEST(DispatchConfiguration, AThresholdRefusesNewTasksWhileTheValueIsAboveItAndEndsNone) {
  for (const Threshold& threshold : thresholds()) {
    SCOPED_TRACE(threshold.rule);
    Host host(1);
    const auto read = [&](double value) {
      threshold.read(host.gpus[0], value);
      host.notify_gpus();
    };
    const int64_t running = host.submit_gib(1);
    EXPECT_EQ(host.starts(), Ids{running});
    read(threshold.usual * 1.02);
    const int64_t waiting = host.submit_gib(1);
    const Step step = host.step();
    EXPECT_TRUE(step.starts.empty() && step.cancels.empty());
    EXPECT_EQ(host.state(running), TaskState::running);
    EXPECT_EQ(host.refused_by(waiting, 0), Rules{threshold.rule});
    read(threshold.usual);
    EXPECT_EQ(host.starts(), Ids{waiting}) << "at it is not above it";
  }
}

TEST(DispatchConfiguration, AnotherThresholdHoldsAtOnceForWhatWaits) {
  for (const Threshold& threshold : thresholds()) {
    SCOPED_TRACE(threshold.rule);
    Host host(1);
    threshold.read(host.gpus[0], threshold.usual * 1.02);
    host.notify_gpus();
    const int64_t waiting = host.submit_gib(1);
    EXPECT_EQ(host.starts(), Ids{});
    change(host, [&](config::Gpu& gpu) { threshold.configure(gpu, threshold.usual * 1.03); });
    EXPECT_EQ(host.starts(), Ids{waiting});
    change(host, [&](config::Gpu& gpu) { threshold.configure(gpu, threshold.usual / 2); });
    const int64_t next = host.submit_gib(1);
    EXPECT_TRUE(host.step().cancels.empty());
    EXPECT_EQ(host.state(waiting), TaskState::running);
    EXPECT_EQ(host.state(next), TaskState::waiting);
  }
}

TEST(DispatchConfiguration, WithoutMultiGpuABatchStaysOnTheFirstGpu) {
  Host host(3);
  change(host, [](config::Gpu& gpu) { gpu.multi_gpu.enabled = false; });
  for (const int64_t task : batch_of(host, 40)) {
    (void)host.step();
    EXPECT_EQ(host.find(task).only_gpus, std::vector<std::string>{"GPU-0"});
  }
}

TEST(DispatchConfiguration, AnotherStrategyHoldsForWhatWaits) {
  struct Case {
    std::string strategy;
    size_t gpu;
  };
  // gpu_0 is nearly full, gpu_1 nearly idle, gpu_2 is mapped.
  for (const Case& each : std::vector<Case>{{"memory_optimized", 0}, {"least_loaded", 1}, {"task_specific", 2}}) {
    SCOPED_TRACE(each.strategy);
    config::Config config;
    config.gpu.multi_gpu.default_strategy = "round_robin";
    config.gpu.multi_gpu.task_specific_mappings = {{"t", "gpu_2"}};
    Host host(3, config);
    host.gpus[0].foreign_bytes = 60 * kGiB;
    host.gpus[0].utilization = host.gpus[2].utilization = 0.5;
    for (GpuState& gpu : host.gpus) gpu.temperature_celsius = 90;
    host.notify_gpus();
    TaskSpec spec = spec_of("t");
    spec.memory_bytes = kGiB;
    const int64_t waiting = host.submit(spec);
    EXPECT_EQ(host.starts(), Ids{});
    change(host, [&](config::Gpu& gpu) { gpu.multi_gpu.default_strategy = each.strategy; });
    for (GpuState& gpu : host.gpus) gpu.temperature_celsius = 60;
    host.notify_gpus();
    EXPECT_EQ(host.starts(), Ids{waiting});
    EXPECT_EQ(host.gpu_of(waiting), each.gpu);
    EXPECT_EQ(host.decisions[waiting].strategy, each.strategy);
  }
}

TEST(DispatchConfiguration, AnotherMappingHoldsForWhatWaits) {
  config::Config config;
  config.gpu.multi_gpu.default_strategy = "task_specific";
  config.gpu.multi_gpu.task_specific_mappings = {{"t", "gpu_0"}};
  Host host(2, config);
  host.gpus[0].temperature_celsius = 90;
  host.notify_gpus();
  const int64_t waiting = host.submit("t");
  EXPECT_EQ(host.starts(), Ids{});
  change(host, [](config::Gpu& gpu) { gpu.multi_gpu.task_specific_mappings = {{"t", "GPU-1"}}; });
  EXPECT_EQ(host.starts(), Ids{waiting});
  EXPECT_EQ(host.gpu_of(waiting), 1u);
}

TEST(DispatchConfiguration, ABatchIsSplitByWhatHoldsWhenAGpuCanTakeIt) {
  Host host(4);
  for (GpuState& gpu : host.gpus) gpu.temperature_celsius = 90;
  host.notify_gpus();
  const Ids tasks = batch_of(host, 8);
  (void)host.step();
  change(host, [](config::Gpu& gpu) {
    gpu.multi_gpu.min_batch_size_per_gpu = 2;
    gpu.max_temperature = 95;
  });
  (void)host.step();
  std::map<std::string, int64_t> split;
  for (const int64_t task : tasks) split[host.find(task).only_gpus.at(0)] += 1;
  EXPECT_EQ(split, (std::map<std::string, int64_t>{{"GPU-0", 2}, {"GPU-1", 2}, {"GPU-2", 2}, {"GPU-3", 2}}));
}

/// Its GPU was given by what held then: what still waits follows the configuration.
TEST(DispatchConfiguration, ABatchThatMayNotUseItsGpusAnyMoreIsSplitAgain) {
  struct Case {
    std::string what;
    std::function<void(config::MultiGpu& multi)> how;
    std::string gpu;  ///< that takes what is left
  };
  const std::vector<Case> cases = {
      {"mapping",
       [](config::MultiGpu& multi) {
         multi.default_strategy = "task_specific";
         multi.task_specific_mappings = {{"t", "gpu_2"}};
       },
       "GPU-2"},
      {"multi_gpu.enabled", [](config::MultiGpu& multi) { multi.enabled = false; }, "GPU-0"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.what);
    Host host(3, with_slots(1));
    const Ids tasks = batch_of(host, 12, "t");
    Ids running = host.starts();
    EXPECT_EQ(running.size(), 3u);
    change(host, [&](config::Gpu& gpu) { each.how(gpu.multi_gpu); });
    size_t over = 0;
    for (; !running.empty(); running = host.starts()) {
      for (const int64_t task : running) {
        const std::string& gpu = host.find(task).last()->gpus.at(0);
        EXPECT_TRUE(over < 3 || gpu == each.gpu) << gpu;
        over += 1;
        host.end(task);
      }
    }
    EXPECT_EQ(over, tasks.size()) << "none is left behind";
    int64_t told = 0;
    for (const auto& [gpu, count] : host.engine->find_batch(1)->split) told += count;
    EXPECT_EQ(told, 12);
  }
}

TEST(DispatchConfiguration, ALowerLimitEndsNoneAndHoldsForTheNext) {
  Host host(1, with_slots(4));
  Ids running;
  for (int i = 0; i < 4; ++i) running.push_back(host.submit_gib(1));
  EXPECT_EQ(host.starts(), running);
  change(host, [](config::Gpu& gpu) { gpu.multi_gpu.max_concurrent_tasks_per_gpu = 2; });
  const int64_t next = host.submit_gib(1);
  for (size_t ended = 0; ended < 3; ++ended) {
    const Step step = host.step();
    EXPECT_TRUE(step.cancels.empty());
    EXPECT_TRUE(step.starts.empty()) << 4 - ended << " run there";
    host.end(running[ended]);
  }
  EXPECT_EQ(host.starts(), Ids{next});
}

TEST(DispatchConfiguration, ATaskWhoseLevelIsGoneIsTheLast) {
  Host host(1, with_slots(1));
  const int64_t busy = host.submit();
  (void)host.step();
  const int64_t old = host.submit("default", "high");
  change(host, [](config::Gpu& gpu) { gpu.multi_gpu.queue_priority_levels = {{"urgent", 0}, {"normal", 5}}; });
  const int64_t normal = host.submit();
  const int64_t urgent = host.submit("default", "urgent");
  Ids order;
  for (const Task* const task : host.engine->queue(10)) order.push_back(task->id);
  EXPECT_EQ(order, (Ids{urgent, normal, old}));
  EXPECT_EQ(host.engine->submit(spec_of("default", "high"), host.now).error().code, "unknown_priority");
  host.end(busy);
  EXPECT_EQ(host.starts(), Ids{urgent});
}

TEST(DispatchConfiguration, ASmallerQueueKeepsWhatWaits) {
  Host host(1, with_slots(1));
  for (int i = 0; i < 6; ++i) (void)host.submit();
  (void)host.step();
  change(host, [](config::Gpu& gpu) { gpu.multi_gpu.max_queue_size = 2; });
  (void)host.step();
  EXPECT_EQ(host.engine->counts().queue_length, 5);
  EXPECT_EQ(host.engine->submit(spec_of(), host.now).error().code, "queue_full");
}

TEST(DispatchConfiguration, TheQueuesTimeLimitIsForWaitingAlone) {
  Host host(1, with_slots(1));
  TaskSpec after = spec_of();
  const int64_t running = host.submit();
  after.after = {running};
  const int64_t blocked = host.submit(after);
  (void)host.step();
  (void)host.after(100'000);
  EXPECT_EQ(host.state(running), TaskState::running);
  EXPECT_EQ(host.state(blocked), TaskState::blocked) << "it is not in the queue yet";
  host.end(running);
  EXPECT_EQ(host.starts(), Ids{blocked});
}

}  // namespace dispatch_configuration_test
}  // namespace sonde::dispatch
