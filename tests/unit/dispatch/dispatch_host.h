#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dispatch/engine.h"

/// A host for tests of the dispatcher's engine: the test sets the GPUs and moves the clock.
namespace sonde::dispatch::simulated {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kGiB = 1LL << 30;

inline GpuState idle_gpu(size_t index, int64_t total = 80 * kGiB) {
  return {.index = index,
          .uuid = "GPU-" + std::to_string(index),
          .name = "H100",
          .compute_capability = 900,
          .memory_total_bytes = total,
          .memory_used_bytes = 0,
          .foreign_bytes = 0,
          .utilization = 0.0,
          .temperature_celsius = 40.0,
          .moment_ns = 0,
          .trouble = {}};
}

inline TaskSpec spec_of(std::string type = "default", std::string priority = "normal") {
  TaskSpec spec;
  spec.type = std::move(type);
  spec.priority = std::move(priority);
  spec.command = {"true"};
  return spec;
}

class Host {
 public:
  explicit Host(size_t gpu_count, config::Config config = {}, uint64_t seed = 1)
      : config(std::make_shared<config::Config>(std::move(config))),
        engine(Engine::make(std::make_shared<config::Config>(*this->config), seed)) {
    for (size_t i = 0; i < gpu_count; ++i) gpus.push_back(idle_gpu(i));
    notify_gpus();
  }

  void notify_gpus() { engine->set_gpus(gpus, held); }
  void notify_config() { engine->set_config(std::make_shared<config::Config>(*config)); }

  int64_t submit(TaskSpec spec) { return engine->submit(std::move(spec), now).value(); }
  int64_t submit(std::string type = "default", std::string priority = "normal") {
    return submit(spec_of(std::move(type), std::move(priority)));
  }
  /// A task that reserves this much memory of its GPU.
  int64_t submit_gib(int64_t gib, std::string priority = "normal") {
    TaskSpec spec = spec_of("default", std::move(priority));
    spec.memory_bytes = gib * kGiB;
    return submit(std::move(spec));
  }

  Step step() {
    Step step = engine->step(now);
    for (const Decision& decision : step.decisions) decisions[decision.task] = decision;
    return step;
  }
  std::vector<int64_t> starts() { return step().starts; }
  Step after(int64_t seconds) {
    now += seconds * kSecond;
    return step();
  }

  void end(int64_t task, EndCause cause = EndCause::exit, int64_t status = 0) {
    EndReport report;
    report.task = task;
    report.attempt = find(task).last()->number;
    report.cause = cause;
    report.ended_ns = now;
    if (cause == EndCause::exit) report.exit_status = status;
    engine->ended(report);
  }

  const Task& find(int64_t task) const { return *engine->find(task); }
  TaskState state(int64_t task) const { return find(task).state; }
  /// Indexes of the GPUs of its last attempt.
  std::vector<size_t> gpus_of(int64_t task) const {
    std::vector<size_t> places;
    for (const std::string& uuid : find(task).last()->gpus) {
      for (const GpuState& gpu : gpus) {
        if (gpu.uuid == uuid) places.push_back(gpu.index);
      }
    }
    return places;
  }
  size_t gpu_of(int64_t task) const { return gpus_of(task).at(0); }
  Explanation explain(int64_t task) const { return engine->explain(task, now); }
  /// The rules that refuse the GPU to a waiting task.
  std::vector<std::string> refused_by(int64_t task, size_t gpu) const {
    std::vector<std::string> rules;
    const Explanation why = explain(task);
    for (const Refusal& refusal : why.gpus.at(gpu).refusals) rules.emplace_back(refusal.rule);
    return rules;
  }

  std::shared_ptr<config::Config> config;
  std::unique_ptr<Engine> engine;
  std::vector<GpuState> gpus;
  std::vector<Holding> held;
  std::map<int64_t, Decision> decisions;  ///< the last one of each task
  int64_t now = 1'800'000'000 * kSecond;
};

using Rules = std::vector<std::string>;
using Ids = std::vector<int64_t>;

}  // namespace sonde::dispatch::simulated
