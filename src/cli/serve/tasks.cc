#include "cli/serve/tasks.h"

#include <thread>

#include <fmt/format.h>

#include "cli/serve/analysis.h"
#include "config/mappings.h"

namespace sonde::serve {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// The first answer of a GPU wakes it, which takes seconds without persistence mode.
constexpr milliseconds kFirstRoundPatience{10'000};
/// A step waits for the disk, which can take its time.
constexpr milliseconds kTurnPatience{30'000};

/// Once a round of reading is over; GPUs that are there later are looked at then.
bool wait_for_round(const monitor::Monitor& monitor) {
  constexpr milliseconds kPause{5};
  const auto end = steady_clock::now() + kFirstRoundPatience;
  while (monitor.snapshot()->state.rounds == 0) {
    if (steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

/// Whether the mappings name GPUs that there are; nothing to say while the GPUs are not known.
Status check_gpus(const config::Config& config, const monitor::HostSnapshot& host) {
  std::vector<std::string> uuids;
  std::vector<std::string> mig_uuids;
  for (const monitor::GpuView& gpu : host.gpus) {
    uuids.push_back(gpu.uuid);
    if (!gpu.sample.reading.mig_devices) continue;
    for (const device::MigDevice& mig : *gpu.sample.reading.mig_devices) mig_uuids.push_back(mig.uuid);
  }
  return uuids.empty() ? Status() : config::check_mappings(config, uuids, mig_uuids);
}

/// Says once for each configuration and number of GPUs that mappings name GPUs that there are not.
class MappingWatch {
 public:
  explicit MappingWatch(const TaskParts& parts) : config_(parts.config), log_(parts.log), monitor_(parts.monitor) {}

  void look() {
    const auto config = config_->current();
    const auto host = monitor_->snapshot();
    const auto& mappings = config->gpu.multi_gpu.task_specific_mappings;
    if (host->gpus.size() == gpus_ && mappings == mappings_) return;
    gpus_ = host->gpus.size();
    mappings_ = mappings;
    if (const Status checked = check_gpus(*config, *host); !checked) {
      log_->error("tasks of the strategy task_specific wait for GPUs that this host does not have",
                  {{"reason", checked.error().message}});
    }
  }

 private:
  config::LiveConfig* config_;
  Log* log_;
  monitor::Monitor* monitor_;
  size_t gpus_ = 0;
  std::map<std::string, std::string> mappings_;
};

}  // namespace

milliseconds drain_time(const config::Config& config) {
  return std::chrono::duration_cast<milliseconds>(std::chrono::duration<double>(config.sonde.tasks.drain_timeout));
}

Result<std::unique_ptr<Tasks>> Tasks::open(const TaskParts& parts) {
  auto tasks = opened(parts);
  if (tasks || parts.config->current()->sonde.tasks.enabled) return tasks;
  parts.log->warning("tasks are disabled; enabling them requires a restart", {{"reason", tasks.error().message}});
  return nullptr;
}

Result<std::unique_ptr<Tasks>> Tasks::opened(const TaskParts& parts) {
  auto tasks = std::unique_ptr<Tasks>(new Tasks(parts));
  auto store = dispatch::TaskStore::open(parts.folder);
  if (!store) return std::unexpected(std::move(store).error());
  tasks->store_ = std::move(*store);
  auto dispatcher = dispatch::Dispatcher::make(
      {.config = parts.config,
       .log = parts.log,
       .monitor = parts.monitor,
       .events = parts.events,
       .store = tasks->store_.get(),
       .make_executor = [folder = parts.folder +
                                  "/tasks"](auto ended) { return dispatch::Executor::open(folder, std::move(ended)); },
       .simulated = parts.simulated,
       .now_ns = parts.now_ns,
       .analyse = why_of});
  if (!dispatcher) return std::unexpected(std::move(dispatcher).error());
  tasks->dispatcher_ = std::move(*dispatcher);
  parts.monitor->on_round([watch = std::make_shared<MappingWatch>(parts)] { watch->look(); });
  return tasks;
}

Status Tasks::check() const {
  const auto config = parts_.config->current();
  const bool has_mappings = !config->gpu.multi_gpu.task_specific_mappings.empty();
  if (!config->sonde.tasks.enabled || !has_mappings || !wait_for_round(*parts_.monitor)) return {};
  return check_gpus(*config, *parts_.monitor->snapshot());
}

void Tasks::start() { dispatcher_->start(); }

void Tasks::stop() { dispatcher_->stop(drain_time(*parts_.config->current())); }

bool Tasks::alive() const { return dispatcher_->alive(kTurnPatience); }

std::string Tasks::status() const {
  const auto queue = dispatcher_->snapshot();
  if (!queue->trouble.empty()) return "tasks cannot be saved: " + queue->trouble;
  const auto running = queue->engine.by_state.find(dispatch::TaskState::running);
  const int64_t runs = running == queue->engine.by_state.end() ? 0 : running->second;
  return fmt::format("{} {}, {} {}", runs, runs == 1 ? "task runs" : "tasks run", queue->engine.queue_length,
                     queue->engine.queue_length == 1 ? "waits" : "wait");
}

}  // namespace sonde::serve
