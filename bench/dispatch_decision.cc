// Measures a decision of the dispatcher: step() of the engine with 10,000 waiting tasks on 64 GPUs.
//   dispatch_decision
// Prints one line per case: its name, the median and the longest time of a step in milliseconds, and the starts of one
// step. The last line is "memory" and the heap bytes of a waiting task with a realistic command and environment.
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dispatch/engine.h"

namespace {

using namespace sonde::dispatch;  // NOLINT(google-build-using-namespace): a program of its own
using std::chrono::steady_clock;

constexpr size_t kGpus = 64;
constexpr int64_t kTasks = 10'000;
constexpr int64_t kGiB = 1LL << 30;
constexpr int64_t kSecond = 1'000'000'000;
constexpr int kSteps = 201;

std::vector<GpuState> idle_gpus() {
  std::vector<GpuState> gpus;
  for (size_t i = 0; i < kGpus; ++i) {
    gpus.push_back({.index = i,
                    .uuid = fmt::format("GPU-{:08x}-0000-0000-0000-000000000000", i),
                    .name = "NVIDIA H100 80GB HBM3",
                    .compute_capability = 900,
                    .memory_total_bytes = 80 * kGiB,
                    .memory_used_bytes = 0,
                    .foreign_bytes = 0,
                    .utilization = 0.5,
                    .temperature_celsius = 50,
                    .moment_ns = 0,
                    .trouble = {}});
  }
  return gpus;
}

TaskSpec spec_of(int64_t memory_bytes) {
  TaskSpec spec;
  spec.type = "training";
  spec.priority = "normal";
  spec.command = {"/usr/bin/python3", "train.py", "--config", "configs/large.yaml"};
  spec.environment = {{"WANDB_MODE", "offline"}, {"OMP_NUM_THREADS", "8"}};
  spec.submitted_by = "alice";
  spec.memory_bytes = memory_bytes;
  return spec;
}

struct Case {
  std::string name;
  int64_t running = 0;                    ///< tasks that fill the GPUs before
  int64_t running_bytes = 0;              ///< of each
  std::function<TaskSpec(int64_t)> spec;  ///< of the waiting task of that number
  int64_t ended = 0;                      ///< running tasks that end before each step
};

/// A host whose GPUs are full, with all tasks waiting.
std::unique_ptr<Engine> full_host(const Case& each, int64_t now_ns) {
  auto config = std::make_shared<sonde::config::Config>();
  config->gpu.multi_gpu.max_queue_size = 1'000'000;
  std::unique_ptr<Engine> engine = Engine::make(config, 1);
  engine->set_gpus(idle_gpus(), {});
  for (int64_t i = 0; i < each.running; ++i) (void)engine->submit(spec_of(each.running_bytes), now_ns);
  (void)engine->step(now_ns);
  for (int64_t i = 0; i < kTasks; ++i) (void)engine->submit(each.spec(i), now_ns);
  (void)engine->step(now_ns);
  return engine;
}

void measure(const Case& each) {
  int64_t now_ns = 1'800'000'000 * kSecond;
  const std::unique_ptr<Engine> engine = full_host(each, now_ns);
  std::vector<double> times_ms;
  size_t starts = 0;
  for (int i = 0; i < kSteps; ++i) {
    now_ns += kSecond;
    const auto running = engine->running();
    for (int64_t end = 0; end < each.ended && end < std::ssize(running); ++end) {
      EndReport report;
      report.task = running[static_cast<size_t>(end)]->id;
      report.attempt = running[static_cast<size_t>(end)]->last()->number;
      report.exit_status = 0;
      report.ended_ns = now_ns;
      engine->ended(report);
    }
    (void)engine->submit(each.spec(kTasks + i), now_ns);  // something changed: the step has to look
    const auto began = steady_clock::now();
    const Step step = engine->step(now_ns);
    times_ms.push_back(std::chrono::duration<double, std::milli>(steady_clock::now() - began).count());
    starts = step.starts.size();
    engine->drop_over();
  }
  std::ranges::sort(times_ms);
  fmt::print("{} {:.4f} {:.4f} {}\n", each.name, times_ms[times_ms.size() / 2], times_ms.back(), starts);
}

size_t heap_bytes() { return mallinfo2().uordblks; }

void measure_memory(const Case& each) {
  const size_t before = heap_bytes();
  const std::unique_ptr<Engine> engine = full_host(each, 1'800'000'000 * kSecond);
  const size_t all = heap_bytes() - before;
  fmt::print("memory_{} {}\n", each.name, all / kTasks);
}

}  // namespace

int main() {
  const auto alike = [](int64_t) { return spec_of(16 * kGiB); };
  const auto distinct = [](int64_t i) { return spec_of(16 * kGiB + i); };
  const auto small = [](int64_t i) { return spec_of(kGiB + i); };
  const auto gangs = [](int64_t i) {
    TaskSpec spec = spec_of(16 * kGiB + i);
    spec.gpus = 2 + i % 8;
    return spec;
  };
  const std::vector<Case> cases = {
      {"no_slot", 64 * 8, kGiB, distinct, 0},      // no slot anywhere: nothing is looked at
      {"alike_no_room", 64, 70 * kGiB, alike, 0},  // slots, but no memory
      {"distinct_no_room", 64, 70 * kGiB, distinct, 0},
      {"gangs_no_room", 64, 70 * kGiB, gangs, 0},
      {"alike_one_starts", 64 * 4, 20 * kGiB, alike, 1},
      {"distinct_one_starts", 64 * 5, 16 * kGiB, distinct, 1},
      {"distinct_eight_start", 64 * 8, kGiB, small, 8},
  };
  for (const Case& each : cases) measure(each);
  measure_memory(cases[1]);
  measure_memory(cases[2]);
  return 0;
}
