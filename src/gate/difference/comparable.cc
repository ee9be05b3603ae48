#include "gate/difference/comparable.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>

namespace sonde::gate {
namespace {

using Runs = std::span<const RunRecord>;

bool any_of(Runs runs, const std::function<bool(const RunRecord&)>& chosen) {
  return std::ranges::any_of(runs, chosen);
}
bool all_of(Runs runs, const std::function<bool(const RunRecord&)>& chosen) {
  return std::ranges::all_of(runs, chosen);
}

bool lost_work(const RunRecord& run) { return std::ranges::any_of(run.flaws, &Flaw::loses_work); }

bool has_steps(const RunRecord& run) { return run.steps > 0; }

/// Sides without work by itself, as a wall time has none, are about the same part.
bool of_one_part(Runs base, Runs changed) {
  if (all_of(base, has_steps) && all_of(changed, has_steps)) return true;
  const PartOfRun part = base.empty() ? PartOfRun::run : base.front().part;
  const auto same = [&](const RunRecord& run) { return run.steps == 0 && run.part == part; };
  return all_of(base, same) && all_of(changed, same);
}

std::set<std::string_view> module_names(Runs runs) {
  std::set<std::string_view> modules;
  for (const RunRecord& run : runs) {
    for (const WorkGroup& group : run.work) modules.insert(group.module);
  }
  modules.erase("");
  return modules;
}

bool share_modules(Runs base, Runs changed) {
  const auto before = module_names(base);
  const auto after = module_names(changed);
  return std::ranges::any_of(before, [&](std::string_view module) { return after.contains(module); });
}

/// Words of recorded_kinds.inc for what splits the host's work.
std::set<std::string_view> host_kinds(Runs runs) {
  constexpr std::array<std::string_view, 5> kWords = {"osrt", "nvtx", "cublas", "cudnn", "cpu"};
  std::set<std::string_view> kinds;
  for (const RunRecord& run : runs) {
    const auto capture = run.conditions.find("capture");
    if (capture == run.conditions.end()) continue;
    for (const std::string_view word : kWords) {
      const std::string list = ", " + capture->second + ",";
      if (list.contains(", " + std::string(word) + ",")) kinds.insert(word);
    }
  }
  return kinds;
}

bool same_of(Runs base, Runs changed, bool Recorded::* what) {
  const auto has = [&](const RunRecord& run) { return run.recorded.*what; };
  return any_of(base, has) == any_of(changed, has);
}

/// Of a mean step.
struct StepWork {
  double kernels = 0;
  double bytes = 0;
};

StepWork step_work(Runs runs) {
  StepWork sum;
  double steps = 0;
  for (const RunRecord& run : runs) {
    steps += static_cast<double>(run.steps);
    for (const WorkGroup& group : run.work) {
      if (group.kind == WorkKind::kernel) sum.kernels += static_cast<double>(group.count);
      if (group.kind == WorkKind::copy) sum.bytes += static_cast<double>(group.bytes);
    }
  }
  return {.kernels = sum.kernels / steps, .bytes = sum.bytes / steps};
}

bool about_equal(double a, double b) {
  constexpr double kTimes = 1.5;
  return a <= 0 || b <= 0 || std::max(a, b) <= kTimes * std::min(a, b);
}

/// A user's range is a step on both sides. Where launches repeat, one side may repeat a part of the other's step.
bool same_steps(Runs base, Runs changed) {
  const auto by_range = [](const RunRecord& run) {
    const auto steps_by = run.conditions.find("steps_by");
    return steps_by == run.conditions.end() || steps_by->second == "range";
  };
  if (all_of(base, by_range) && all_of(changed, by_range)) return true;
  const StepWork before = step_work(base);
  const StepWork after = step_work(changed);
  return about_equal(before.kernels, after.kernels) && about_equal(before.bytes, after.bytes);
}

}  // namespace

Comparable comparable(std::span<const RunRecord> base, std::span<const RunRecord> changed) {
  return {.work = !any_of(base, lost_work) && !any_of(changed, lost_work),
          .lengths = of_one_part(base, changed),
          .modules = share_modules(base, changed),
          .calls = same_of(base, changed, &Recorded::api_calls),
          .host_work = host_kinds(base) == host_kinds(changed),
          .copy_memory = same_of(base, changed, &Recorded::copy_memory)};
}

PartOfRun common_part(std::span<const RunRecord> base, std::span<const RunRecord> changed) {
  if (all_of(base, has_steps) && all_of(changed, has_steps) && same_steps(base, changed)) return PartOfRun::steps;
  const auto whole = [](const RunRecord& run) { return run.steps == 0 && run.part == PartOfRun::run; };
  return any_of(base, whole) || any_of(changed, whole) ? PartOfRun::run : PartOfRun::gpu_work;
}

}  // namespace sonde::gate
