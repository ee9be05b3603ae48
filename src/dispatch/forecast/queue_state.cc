#include "dispatch/forecast/queue_state.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace sonde::dispatch::forecast {
namespace {

constexpr size_t kMaxPlayed = 1000;
constexpr int64_t kUnknownRoom = std::numeric_limits<int64_t>::max();

class Maker {
 public:
  Maker(const Engine& engine, int64_t now_ns) : engine_(engine), config_(engine.config().gpu) {
    state_.play.now_ns = now_ns;
    state_.play.utilization_threshold = config_.utilization_threshold;
  }

  Result<QueueState> make(const Task& task) {
    for (size_t at = 0; at < engine_.gpus().size(); ++at) add_gpu(at);
    add_utilization();
    for (const Task* const running : engine_.running()) add_running(*running);
    add_waiting(task);
    if (nobody_knows_) return fail("no task has finished yet, so run times are unknown");
    if (!can_ever_start(state_.play.waiting.back()))
      return fail("no GPU of this host is eligible in its current state");
    return std::move(state_);
  }

 private:
  void add_gpu(size_t at) {
    const GpuState& gpu = engine_.gpus()[at];
    const GpuLoad& load = engine_.loads()[at];
    const bool is_old = gpu.compute_capability && *gpu.compute_capability < config_.min_compute_capability;
    const bool is_off = !config_.multi_gpu.enabled && has_usable();
    PlayGpu play{.usable = gpu.trouble.empty() && !is_old && !is_off,
                 .slots = config_.multi_gpu.max_concurrent_tasks_per_gpu - load.tasks,
                 .room_bytes = room_bytes(gpu, load).value_or(kUnknownRoom),
                 .total_bytes = gpu.memory_total_bytes.value_or(kUnknownRoom)};
    if (gpu.memory_total_bytes) {
      const auto total = static_cast<double>(*gpu.memory_total_bytes);
      play.share_bytes = *gpu.memory_total_bytes / std::max<int64_t>(config_.multi_gpu.max_concurrent_tasks_per_gpu, 1);
      play.threshold_bytes = static_cast<int64_t>(total * (1 - config_.memory_threshold));
    }
    play.utilization = gpu.utilization.value_or(0);
    state_.play.gpus.push_back(play);
  }

  [[nodiscard]] bool has_usable() const {
    return std::ranges::any_of(state_.play.gpus, [](const PlayGpu& gpu) { return gpu.usable; });
  }

  /// What a task adds is taken to be what each of those that run adds.
  void add_utilization() {
    double sum = 0;
    int64_t tasks = 0;
    for (size_t at = 0; at < engine_.gpus().size(); ++at) {
      if (engine_.loads()[at].tasks == 0) continue;
      sum += engine_.gpus()[at].utilization.value_or(0);
      tasks += engine_.loads()[at].tasks;
    }
    if (tasks > 0) state_.play.utilization_of_task = sum / static_cast<double>(tasks);
  }

  [[nodiscard]] std::optional<size_t> place_of(std::string_view gpu) const {
    const auto gpus = engine_.gpus();
    for (size_t at = 0; at < gpus.size(); ++at) {
      if (gpus[at].uuid == gpu || fmt::format("gpu_{}", gpus[at].index) == gpu) return at;
    }
    return std::nullopt;
  }

  PlayTask play_task(const Task& task) {
    PlayTask play{.gpus = task.spec.gpus, .need_bytes = need_of(task), .limit_ns = task.spec.time_limit_ns};
    play.run_ns = engine_.estimates().run_times(task.spec.type, {});
    if (play.run_ns.empty()) play.run_ns = engine_.estimates().run_times_of_all();
    if (play.run_ns.empty()) nobody_knows_ = true;
    play.gives_up_ns = task.ready_ns + static_cast<int64_t>(config_.multi_gpu.queue_timeout * 1e9);
    set_allowed(task, play);
    return play;
  }

  [[nodiscard]] std::optional<int64_t> need_of(const Task& task) const {
    std::optional<int64_t> need = task.spec.memory_bytes;
    if (!need) {
      const auto learned = engine_.estimates().memory(task.spec.type);
      if (learned) need = learned->need_bytes;
    }
    if (task.least_room_bytes) need = std::max(need.value_or(0), *task.least_room_bytes);
    return need;
  }

  void set_allowed(const Task& task, PlayTask& play) const {
    std::vector<std::string> names = task.only_gpus;
    const std::string& strategy = task.spec.strategy.empty() ? config_.multi_gpu.default_strategy : task.spec.strategy;
    const auto mapped = config_.multi_gpu.task_specific_mappings.find(task.spec.type);
    if (names.empty() && strategy == "task_specific" && mapped != config_.multi_gpu.task_specific_mappings.end())
      names.push_back(mapped->second);
    for (const std::string& name : names) {
      if (const auto at = place_of(name)) play.allowed.push_back(*at);
    }
  }

  void add_running(const Task& task) {
    const Attempt* const attempt = task.last();
    if (attempt == nullptr) return;
    PlayRunning running{.task = play_task(task),
                        .on = {},
                        .reserved_bytes = attempt->reserved_bytes,
                        .started_ns = attempt->started_ns};
    for (const std::string& uuid : attempt->gpus) {
      if (const auto at = place_of(uuid)) running.on.push_back(*at);
    }
    state_.play.running.push_back(std::move(running));
  }

  void add_waiting(const Task& task) {
    const std::vector<const Task*> queue = engine_.queue(std::numeric_limits<size_t>::max());
    const auto place = static_cast<size_t>(std::ranges::find(queue, task.id, &Task::id) - queue.begin());
    const size_t played = std::min(place, kMaxPlayed);
    state_.left_out = place - played;
    state_.play.waiting.reserve(played + 1);
    for (size_t i = 0; i < played; ++i) state_.play.waiting.push_back(play_task(*queue[i]));
    state_.play.waiting.push_back(play_task(task));
  }

  [[nodiscard]] bool can_ever_start(const PlayTask& task) const {
    int64_t could = 0;
    const auto& gpus = state_.play.gpus;
    for (size_t at = 0; at < gpus.size(); ++at) {
      const bool is_allowed = task.allowed.empty() || std::ranges::find(task.allowed, at) != task.allowed.end();
      if (is_allowed && gpus[at].usable && gpus[at].total_bytes >= task.need_bytes.value_or(0)) ++could;
    }
    return could >= task.gpus;
  }

  const Engine& engine_;
  const config::Gpu& config_;
  QueueState state_;
  bool nobody_knows_ = false;
};

}  // namespace

Result<QueueState> queue_state(const Engine& engine, const Task& task, int64_t now_ns) {
  return Maker(engine, now_ns).make(task);
}

}  // namespace sonde::dispatch::forecast
