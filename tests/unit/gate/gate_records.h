#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "gate/budget.h"
#include "gate/record/run_record.h"

/// Records of runs, written by hand.
namespace sonde::gate {

inline constexpr size_t kRecordSteps = 4;
inline constexpr int64_t kRecordStepNs = 1'000'000;

/// A kernel that every step launches `count` times for `ns` each.
inline WorkGroup kernel_group(std::string name, int64_t ns, int64_t count = 1, std::string module = {}) {
  WorkGroup group;
  group.name = std::move(name);
  group.module = std::move(module);
  group.count = count * static_cast<int64_t>(kRecordSteps);
  group.duration_ns = ns * group.count;
  group.share_ns = group.duration_ns;
  group.step_count.assign(kRecordSteps, count);
  group.step_duration_ns.assign(kRecordSteps, ns * count);
  return group;
}

inline WorkGroup copy_group(int64_t bytes, bool pageable) {
  WorkGroup group = kernel_group("Host-to-Device", 1000);
  group.kind = WorkKind::copy;
  group.pageable = pageable;
  group.bytes = bytes * static_cast<int64_t>(kRecordSteps);
  group.step_bytes.assign(kRecordSteps, bytes);
  return group;
}

inline CallGroup call_group(std::string name, int64_t ns, int64_t count) {
  CallGroup group;
  group.name = std::move(name);
  group.launches = group.name.contains("Launch");
  group.synchronizes = group.name.contains("Synchronize");
  group.count = count * static_cast<int64_t>(kRecordSteps);
  group.duration_ns = ns * group.count;
  group.step_count.assign(kRecordSteps, count);
  group.step_duration_ns.assign(kRecordSteps, ns * count);
  return group;
}

/// A timeline with steps of a millisecond and one GPU that is busy half of the time.
inline RunRecord record_with(std::vector<WorkGroup> work, std::vector<CallGroup> calls = {}) {
  RunRecord record;
  record.source = "run.sqlite";
  record.conditions = {{"kind", "timeline"}, {"tool", "Nsight Systems"}, {"gpu", "H100"}, {"driver", "550"}};
  record.recorded = {.gpu_work = true, .whole_graphs = false, .copy_memory = true, .api_calls = !calls.empty()};
  record.steps = kRecordSteps;
  record.step_ns.assign(kRecordSteps, kRecordStepNs);
  record.extent_ns = record.steps * kRecordStepNs;
  record.wall_ns = 2 * record.extent_ns;
  record.work = std::move(work);
  record.calls = std::move(calls);
  GpuOfRun gpu;
  gpu.place = "GPU 0";
  gpu.busy_ns = record.extent_ns / 2;
  gpu.step_busy_ns.assign(kRecordSteps, kRecordStepNs / 2);
  gpu.step_communication_ns.assign(kRecordSteps, 0);
  gpu.step_exposed_communication_ns.assign(kRecordSteps, 0);
  record.gpus = {gpu};
  return record;
}

/// Runs whose kernel takes these times.
inline std::vector<RunRecord> kernel_runs(std::initializer_list<int64_t> ns) {
  std::vector<RunRecord> runs;
  for (const int64_t time : ns) runs.push_back(record_with({kernel_group("gemm", time)}));
  return runs;
}

/// Rules without a mistake.
inline Budget budget_of(const std::string& rules) {
  BudgetReading reading = read_budget("rules: [" + rules + "]");
  if (!reading.problems.empty()) throw std::runtime_error(problem_text(rules, reading.problems[0]));
  return std::move(reading.budget);
}

}  // namespace sonde::gate
