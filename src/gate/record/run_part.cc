#include "gate/record/run_part.h"

#include <algorithm>
#include <map>

#include "analyses/steps/run_extent.h"
#include "analyses/steps/warm_up.h"
#include "trace/columns.h"

namespace sonde::gate {
namespace {

/// From the start of each step to that of the next, of the last to its end; the last kMaxSteps of them.
std::vector<Span> windows_of(std::span<const Span> steady) {
  std::vector<Span> windows;
  for (size_t i = steady.size() - std::min(steady.size(), kMaxSteps); i < steady.size(); ++i) {
    windows.emplace_back(steady[i].first, i + 1 < steady.size() ? steady[i + 1].first : steady[i].second);
  }
  return windows;
}

template <typename F>
void for_each_work(const Trace& trace, F f) {
  f(trace.kernels);
  f(trace.copies);
  f(trace.sets);
  f(trace.graph_launches);
}

}  // namespace

std::optional<Span> gpu_work_extent(const Trace& trace) {
  std::optional<Span> extent;
  for_each_work(trace, [&](const GpuOps& ops) {
    for (Row row = 0; row < row_count(ops); ++row) {
      if (!extent) extent = {ops.start[row], ops.end[row]};
      extent = {std::min(extent->first, ops.start[row]), std::max(extent->second, ops.end[row])};
    }
  });
  return extent;
}

ModulePaths::ModulePaths(const ModuleTree& tree) : paths(1) {
  std::vector<std::string> of_tree;
  std::map<std::string, uint32_t, std::less<>> known;
  for (const Module& m : tree.modules) {
    of_tree.push_back(m.parent == kNone ? m.name : of_tree[m.parent] + "/" + m.name);
    const auto [found, fresh] = known.try_emplace(of_tree.back(), static_cast<uint32_t>(paths.size()));
    if (fresh) paths.push_back(of_tree.back());
    of_module.push_back(found->second);
  }
}

RunPart::RunPart(const Trace& run_trace, PartOfRun wanted, PartOfRun otherwise)
    : trace(run_trace),
      gpus(gpus_of(trace)),
      tree(module_tree(trace, {})),
      modules(tree),
      run(run_extent(trace)),
      extent(run),
      launched(run) {
  for (const PartOfRun part : {wanted, otherwise}) {
    if (whole_run && part == PartOfRun::steps) keep_steps();
    if (whole_run && part == PartOfRun::gpu_work) keep_gpu_work();
  }
  if (whole_run) {
    shares = std::move(tree.shares);
    return;
  }
  tree.shares = {};  // of the whole run, which nothing asks for: 8 bytes an operation
  shares = share_gpu_time(trace, gpus, extent);
}

void RunPart::keep_steps() {
  const auto found = find_warm_up(trace);
  if (!found || found->steady.empty() || found->steady.back().second <= found->steady.front().first) return;
  whole_run = false;
  extent = {found->steady.front().first, found->steady.back().second};
  launched = {found->launched.front().first, found->launched.back().second};
  steps = static_cast<int64_t>(found->steady.size());
  steps_by_range = found->thread == kNone;
  windows = windows_of(found->steady);
  launched_windows = windows_of(found->launched);
}

void RunPart::keep_gpu_work() {
  const auto work = gpu_work_extent(trace);
  if (!work || work->first == work->second) return;
  whole_run = false;
  extent = *work;
  launched = extent;
  for_each_work(trace, [&](const GpuOps& ops) {
    for (Row row = 0; row < row_count(ops); ++row) launched.first = std::min(launched.first, launched_at(ops, row));
  });
}

uint32_t RunPart::window_at(int64_t time) const {
  const auto next = std::ranges::upper_bound(launched_windows, time, {}, &Span::first);
  if (next == launched_windows.begin() || time >= std::prev(next)->second) return kNone;
  return static_cast<uint32_t>(next - launched_windows.begin() - 1);
}

void Tally::add(uint32_t group, int64_t moment, int64_t duration_ns) {
  if (!part_.holds(moment)) return;
  if (group >= sums_.size()) {
    sums_.resize(group + 1);
    steps_.resize(sums_.size() * part_.windows.size());
  }
  const auto count = [&](Amount& amount) {
    ++amount.count;
    amount.ns += std::max<int64_t>(duration_ns, 0);
  };
  count(sums_[group]);
  const uint32_t step = part_.window_at(moment);
  if (step != kNone) count(steps_[group * part_.windows.size() + step]);
}

}  // namespace sonde::gate
