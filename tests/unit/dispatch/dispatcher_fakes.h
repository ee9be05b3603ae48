#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "dispatch/dispatcher.h"

/// Fakes of what the dispatcher uses.
namespace sonde::dispatch {

/// The events in order: "save 2", "start 1.1", "answer 1".
using Happened = std::vector<std::string>;

/// Keeps tasks in memory; fails if the test sets it so.
class FakeStore final : public TaskStore {
 public:
  explicit FakeStore(Happened& happened) : happened_(&happened) {}

  Result<Restored> restore() override { return restored; }
  Status save(const Changes& changes) override {
    if (fails) return fail("database or disk is full");
    happened_->push_back(fmt::format("save {}", changes.tasks.size()));
    for (const Task* task : changes.tasks) tasks[task->id] = *task;
    for (const Batch* batch : changes.batches) batches[batch->id] = *batch;
    for (const Decision& decision : changes.decisions) decided.push_back(decision);
    return {};
  }
  Status save(const ProfileRecord& /*profile*/) override { return {}; }
  Status probe() override {
    ++probes;
    return fails ? Status(fail("database or disk is full")) : Status();
  }
  Result<std::optional<Task>> find(int64_t task) const override {
    const auto at = tasks.find(task);
    return at == tasks.end() ? std::optional<Task>() : at->second;
  }
  Result<std::optional<Batch>> find_batch(int64_t batch) const override {
    const auto at = batches.find(batch);
    return at == batches.end() ? std::optional<Batch>() : at->second;
  }
  Result<std::vector<Task>> list(const TaskQuery& /*query*/) const override { return std::vector<Task>(); }
  Result<std::vector<Batch>> list_batches(int64_t /*before*/, int64_t /*most*/) const override {
    return std::vector<Batch>();
  }
  Result<std::vector<Decision>> decisions(int64_t task) const override {
    std::vector<Decision> found;
    std::ranges::copy_if(decided, std::back_inserter(found), [&](const Decision& each) { return each.task == task; });
    return found;
  }
  Result<std::vector<ProfileRecord>> profiles(int64_t /*task*/) const override { return std::vector<ProfileRecord>(); }
  Result<std::vector<ProfileRecord>> profiles_of_type(const std::string& /*type*/, int64_t /*most*/) const override {
    return std::vector<ProfileRecord>();
  }
  Result<int64_t> task_of_key(const std::string& by, const std::string& key) const override {
    if (keys_fail) return fail("disk I/O error");
    for (const auto& [id, task] : tasks) {
      if (task.spec.submitted_by == by && task.spec.idempotency_key == key) return id;
    }
    return 0;
  }
  Result<int64_t> batch_of_key(const std::string& /*by*/, const std::string& key) const override {
    for (const auto& [id, batch] : batches) {
      if (batch.idempotency_key == key) return id;
    }
    return 0;
  }
  Result<std::vector<int64_t>> remove_ended_before(int64_t moment_ns) override {
    std::vector<int64_t> removed;
    for (const auto& [id, task] : tasks) {
      if (task.ended_ns && *task.ended_ns < moment_ns) removed.push_back(id);
    }
    for (const int64_t id : removed) tasks.erase(id);
    return removed;
  }

  Restored restored;
  bool fails = false;
  bool keys_fail = false;
  int probes = 0;
  std::map<int64_t, Task> tasks;
  std::map<int64_t, Batch> batches;
  std::vector<Decision> decided;

 private:
  Happened* happened_;
};

/// Starts nothing, and records the calls.
class FakeExecutor final : public Executor {
 public:
  using Attempted = std::pair<int64_t, int64_t>;
  explicit FakeExecutor(Happened& happened) : happened_(&happened) {}

  void adopt(std::span<const Attempted> running) override { adopted.assign(running.begin(), running.end()); }
  void start(const Launch& launch) override {
    launches.push_back(launch);
    happened_->push_back(fmt::format("start {}.{}", launch.task, launch.attempt));
  }
  void cancel(int64_t task, int64_t attempt) override {
    happened_->push_back(fmt::format("cancel {}.{}", task, attempt));
  }
  void collected(int64_t task, int64_t attempt) override {
    happened_->push_back(fmt::format("collected {}.{}", task, attempt));
  }
  std::optional<Attempted> task_of(int64_t pid) const override {
    const auto at = pids.find(pid);
    return at == pids.end() ? std::optional<Attempted>() : at->second;
  }
  std::optional<int64_t> pid_of(int64_t task, int64_t attempt) const override {
    for (const auto& [pid, of] : pids) {
      if (of == Attempted(task, attempt)) return pid;
    }
    return std::nullopt;
  }
  Result<std::optional<LogPart>> log(int64_t, int64_t, LogStream, int64_t, int64_t) const override { return LogPart(); }
  std::string folder_of(int64_t /*task*/, int64_t /*attempt*/) const override { return {}; }
  void remove(int64_t task) override { removed.push_back(task); }
  int64_t bytes() const override { return kept_bytes; }
  void stop() override { stopped = true; }

  std::vector<Attempted> adopted;
  std::vector<Launch> launches;
  std::map<int64_t, Attempted> pids;
  std::vector<int64_t> removed;
  int64_t kept_bytes = 0;
  bool stopped = false;

 private:
  Happened* happened_;
};

/// GPUs that the test sets.
class FakeMonitor final : public monitor::Monitor {
 public:
  void start() override {}
  void stop() override {}
  void round() override {}
  std::shared_ptr<const monitor::HostSnapshot> snapshot() const override { return host; }
  bool acknowledge(int64_t, const std::string&) override { return false; }
  bool clear(int64_t, const std::string&) override { return false; }
  void on_round(std::function<void()> told) override { told_ = std::move(told); }
  void look_soon() override { ++looks; }
  void tell() const {
    if (told_) told_();
  }

  /// An idle GPU with 80 GiB.
  void add_gpu(int64_t moment_ns) {
    monitor::GpuView gpu;
    gpu.index = host->gpus.size();
    gpu.uuid = fmt::format("GPU-{}", gpu.index);
    gpu.name = "GPU";
    gpu.sample.gpu = gpu.index;
    gpu.sample.moment_ns = moment_ns;
    gpu.sample.reading.compute_capability = 900;
    gpu.sample.reading.memory_total_bytes = 81LL << 30;
    gpu.sample.reading.memory_reserved_bytes = 1LL << 30;
    gpu.sample.reading.memory_used_bytes = 0;
    gpu.sample.reading.gpu_utilization_percent = 0;
    gpu.sample.reading.temperature_celsius = 40;
    gpu.sample.reading.running.emplace();
    host->gpus.push_back(std::move(gpu));
    host->moment_ns = moment_ns;
  }

  std::shared_ptr<monitor::HostSnapshot> host = std::make_shared<monitor::HostSnapshot>();
  int looks = 0;

 private:
  std::function<void()> told_;
};

}  // namespace sonde::dispatch
