#include "dispatch/simulation/virtual_host.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace sonde::dispatch::simulation {
namespace {

constexpr double kAtStart = 0.5;          ///< of its memory that a task takes when it starts
constexpr double kGrownAt = 0.1;          ///< of its work, when it takes the rest
constexpr int64_t kFirstPid = 5'000'000;  ///< above those of descriptions

}  // namespace

VirtualHost::VirtualHost(const device::simulated::HostDescription& host, std::map<std::string, double> speeds,
                         int64_t start_ns)
    : clock_ns_(std::make_shared<int64_t>(0)),
      source_(host, {.now_ns = [clock = clock_ns_] { return *clock; },
                     .sleep = [](std::chrono::milliseconds) {},
                     .moment_ns = [clock = clock_ns_, start_ns] { return start_ns + *clock; }}),
      start_ns_(start_ns),
      now_ns_(start_ns),
      states_(host.gpus.size()),
      speeds_(host.gpus.size(), 1),
      load_(host.gpus.size()),
      foreign_load_(host.gpus.size()),
      held_(host.gpus.size()),
      tasks_(host.gpus.size()) {
  sample(start_ns);
  for (size_t gpu = 0; gpu < states_.size(); ++gpu) {
    for (const std::string& name : {states_[gpu].name, host.gpus[gpu].name}) {
      if (const auto speed = speeds.find(name); speed != speeds.end()) speeds_[gpu] = speed->second;
    }
  }
}

void VirtualHost::sample(int64_t now_ns) {
  *clock_ns_ = now_ns - start_ns_;
  for (size_t gpu = 0; gpu < states_.size(); ++gpu) read(gpu, now_ns);
  set_paces();
}

void VirtualHost::read(size_t gpu, int64_t now_ns) {
  using namespace device;
  GpuReading reading;
  GpuState& state = states_[gpu];
  state.moment_ns = now_ns;
  state.index = gpu;
  const auto read = source_.read(gpu, identity | fast | processes, reading);
  state.trouble = read ? std::string() : read.error().message;
  if (!read) return;
  state.uuid = reading.uuid.value_or("");
  state.name = reading.name.value_or("");
  state.compute_capability = reading.compute_capability;
  state.memory_total_bytes = *reading.memory_total_bytes - reading.memory_reserved_bytes.value_or(0);
  state.memory_used_bytes = reading.memory_used_bytes;
  constexpr double kPercent = 100;
  state.utilization = static_cast<double>(reading.gpu_utilization_percent.value_or(0)) / kPercent;
  state.temperature_celsius = static_cast<double>(*reading.temperature_celsius);
  state.foreign_bytes = 0;
  for (const GpuProcess& process : reading.running.value_or(std::vector<GpuProcess>{})) {
    if (process.pid < kFirstPid) *state.foreign_bytes += process.memory_used_bytes.value_or(0);
  }
  foreign_load_[gpu] = std::max(0.0, *state.utilization - load_[gpu]);
}

std::vector<Holding> VirtualHost::holdings() const {
  std::vector<Holding> all;
  for (const auto& [task, run] : runs_) {
    for (const size_t gpu : run.run.gpus)
      all.push_back({.task = task, .gpu_uuid = states_[gpu].uuid, .bytes = run.held_bytes});
  }
  return all;
}

double VirtualHost::use(size_t gpu) const { return std::min(1.0, load_[gpu]); }

int64_t VirtualHost::held_by(int64_t task) const {
  const auto found = runs_.find(task);
  return found == runs_.end() ? 0 : found->second.held_bytes;
}

std::optional<size_t> VirtualHost::place_of(const std::string& uuid) const {
  const auto found = std::ranges::find(states_, uuid, &GpuState::uuid);
  if (found == states_.end()) return std::nullopt;
  return static_cast<size_t>(found - states_.begin());
}

/// Takes more memory on each of its GPUs, or tells that one has not got it.
bool VirtualHost::hold(Run& run, int64_t bytes) {
  const int64_t more = bytes - run.held_bytes;
  for (const size_t gpu : run.run.gpus) {
    const int64_t total = states_[gpu].memory_total_bytes.value_or(std::numeric_limits<int64_t>::max());
    if (held_[gpu] + states_[gpu].foreign_bytes.value_or(0) + more <= total) continue;
    run.ended = EndCause::out_of_memory;
    run.message = fmt::format("GPU {} does not have the memory that it requested", gpu);
    return false;
  }
  run.held_bytes = bytes;
  for (const size_t gpu : run.run.gpus) {
    held_[gpu] += more;
    source_.start(gpu, {.pid = kFirstPid + run.run.task,
                        .name = "task",
                        .utilization_percent = 100 * run.run.utilization,
                        .memory_bytes = bytes});
  }
  return true;
}

void VirtualHost::start(const VirtualRun& run, int64_t now_ns) {
  Run& started = runs_[run.task];
  started = {.run = run, .started_ns = now_ns, .ended = {}, .message = {}};
  *clock_ns_ = now_ns - start_ns_;
  for (const size_t gpu : run.gpus) {
    ++tasks_[gpu];
    load_[gpu] += run.utilization;
  }
  hold(started, std::llround(static_cast<double>(run.memory_bytes) * kAtStart));
  set_paces();
}

void VirtualHost::cancel(int64_t task, int64_t now_ns) {
  const auto found = runs_.find(task);
  if (found == runs_.end() || found->second.ended) return;
  found->second.ended = EndCause::cancelled;
  now_ns_ = std::max(now_ns_, now_ns);
}

double VirtualHost::goal(const Run& run) {
  double next = run.grown ? 1 : kGrownAt;
  if (run.run.fails_at) next = std::min(next, *run.run.fails_at);
  return next;
}

int64_t VirtualHost::goal_ns(const Run& run) const {
  if (run.ended) return now_ns_;
  const double left_ns = std::max(0.0, (goal(run) - run.done) / run.pace);
  const auto reached_ns = now_ns_ + static_cast<int64_t>(std::ceil(left_ns));
  return run.run.limit_ns ? std::min(reached_ns, run.started_ns + *run.run.limit_ns) : reached_ns;
}

std::optional<int64_t> VirtualHost::next_ns() const {
  std::optional<int64_t> next;
  for (const auto& [task, run] : runs_)
    next = std::min(next.value_or(std::numeric_limits<int64_t>::max()), goal_ns(run));
  return next;
}

bool VirtualHost::is_lost(const Run& run) const {
  return std::ranges::any_of(run.run.gpus, [&](size_t gpu) { return !states_[gpu].trouble.empty(); });
}

void VirtualHost::reach(Run& run, int64_t now_ns) {
  constexpr double kRounding = 1e-9;
  if (run.ended) return;
  if (is_lost(run)) {
    run.ended = EndCause::exit;
    run.message = "its GPU is lost";
  } else if (run.run.limit_ns && now_ns >= run.started_ns + *run.run.limit_ns) {
    run.ended = EndCause::time_limit;
  } else if (run.done + kRounding < goal(run)) {
    return;
  } else if (run.run.fails_at && run.done + kRounding >= *run.run.fails_at) {
    run.ended = EndCause::exit;
    run.message = "it failed as defined by the workload";
  } else if (!run.grown) {
    run.grown = true;
    hold(run, run.run.memory_bytes);
  } else {
    run.ended = EndCause::none;
  }
}

std::vector<EndReport> VirtualHost::advance(int64_t now_ns) {
  *clock_ns_ = now_ns - start_ns_;
  for (auto& [task, run] : runs_) run.done += run.pace * static_cast<double>(now_ns - now_ns_);
  now_ns_ = now_ns;
  std::vector<EndReport> ends;
  for (auto& [task, run] : runs_) {
    reach(run, now_ns);
    if (!run.ended) continue;
    EndReport end{.task = task,
                  .attempt = run.run.attempt,
                  .cause = *run.ended == EndCause::none ? EndCause::exit : *run.ended,
                  .exit_status = {},
                  .signal = {},
                  .message = run.message,
                  .ended_ns = now_ns};
    if (end.cause == EndCause::exit) end.exit_status = *run.ended == EndCause::none ? 0 : 1;
    ends.push_back(std::move(end));
  }
  for (const EndReport& end : ends) {
    leave(runs_.at(end.task));
    runs_.erase(end.task);
  }
  if (!ends.empty()) set_paces();
  return ends;
}

void VirtualHost::leave(const Run& run) {
  for (const size_t gpu : run.run.gpus) {
    --tasks_[gpu];
    load_[gpu] = tasks_[gpu] == 0 ? 0 : load_[gpu] - run.run.utilization;
    held_[gpu] -= run.held_bytes;
    source_.end(gpu, kFirstPid + run.run.task);
  }
}

/// Each GPU gives its tasks all that they ask for, or shares itself out among them in proportion to it.
void VirtualHost::set_paces() {
  for (auto& [task, run] : runs_) {
    double speed = run.run.gpus.empty() ? 1 : std::numeric_limits<double>::max();
    for (const size_t gpu : run.run.gpus)
      speed = std::min(speed, speeds_[gpu] / std::max(1.0, load_[gpu] + foreign_load_[gpu]));
    run.pace = speed / static_cast<double>(std::max<int64_t>(run.run.work_ns, 1));
  }
}

}  // namespace sonde::dispatch::simulation
