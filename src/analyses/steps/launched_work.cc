#include "analyses/steps/launched_work.h"

#include <algorithm>
#include <limits>
#include <span>

#include "analyses/gpus/operation_names.h"
#include "base/system/lower_bound_near.h"
#include "trace/columns.h"
#include "trace/kernel_name.h"

namespace sonde {
namespace {

/// Kinds of operations whose names are not in Trace::names.
enum class Unnamed : uint32_t { copy = 1, set, graph };

uint32_t mixed_token(uint64_t value) {
  constexpr uint64_t kFactor = 0x9E3779B97F4A7C15U;  // odd, from splitmix64
  value = (value + 1) * kFactor;
  value = (value ^ (value >> 29U)) * kFactor;
  return static_cast<uint32_t>(value >> 32U);
}

uint32_t unnamed_token(Unnamed kind, uint32_t detail) {
  return mixed_token((static_cast<uint64_t>(kind) << 40U) + detail);
}

/// Calls `f(launch, token, start, end)` for each operation whose call is known.
template <typename F>
void for_each_launch(const Trace& trace, F&& f) {
  const auto each = [&](const GpuOps& ops, auto token_of) {
    for (Row row = 0; row < ops.launch.size(); ++row) {
      if (ops.launch[row] != kNone) f(ops.launch[row], token_of(row), ops.start[row], ops.end[row]);
    }
  };
  each(trace.kernels, [&](Row row) { return mixed_token(value_or_absent(trace.kernels.name, row)); });
  each(trace.copies, [&](Row row) { return unnamed_token(Unnamed::copy, value_or_absent(trace.copies.kind, row)); });
  each(trace.sets, [](Row) { return unnamed_token(Unnamed::set, 0); });
  each(trace.graph_launches, [](Row) { return unnamed_token(Unnamed::graph, 0); });
}

/// Turns the durations in `before_ns` into sums.
void sum_up(LaunchList& list) {
  for (LaunchedCall& work : list.work) {
    const int64_t own = work.before_ns;
    work.before_ns = list.total_ns;
    list.total_ns += own;
  }
}

/// By thread: `before_ns` is each call's own time on GPUs.
std::vector<LaunchList> lists_by_thread(const Trace& trace) {
  const Ids& thread = trace.api.thread;
  std::vector<LaunchList> lists(trace.threads.size());
  std::vector<uint32_t> slot(thread.size(), kNone);
  for_each_launch(trace, [&](Row call, uint32_t, int64_t, int64_t) {
    if (call < slot.size()) slot[call] = 0;
  });
  std::vector<size_t> counts(lists.size(), 0);
  for (Row call = 0; call < slot.size(); ++call) {
    if (slot[call] != kNone && thread[call] < lists.size()) ++counts[thread[call]];
  }
  for (size_t i = 0; i < lists.size(); ++i) reserve_column(lists[i].work, counts[i]);
  for (Row call = 0; call < slot.size(); ++call) {
    if (slot[call] == kNone || thread[call] >= lists.size()) {
      slot[call] = kNone;
      continue;
    }
    auto& work = lists[thread[call]].work;
    slot[call] = static_cast<uint32_t>(work.size());
    work.push_back({.call = call,
                    .start_ns = trace.api.start[call],
                    .first_ns = std::numeric_limits<int64_t>::max(),
                    .last_ns = std::numeric_limits<int64_t>::min()});
  }
  for_each_launch(trace, [&](Row call, uint32_t token, int64_t start, int64_t end) {
    if (call >= slot.size() || slot[call] == kNone) return;
    LaunchedCall& work = lists[thread[call]].work[slot[call]];
    work.token += token;  // operations of a graph may run in any order
    work.before_ns += end - start;
    work.first_ns = std::min(work.first_ns, start);
    work.last_ns = std::max(work.last_ns, end);
  });
  return lists;
}

}  // namespace

size_t LaunchList::from(int64_t time_ns, size_t near) const {
  return lower_bound_near(std::span<const LaunchedCall>(work), time_ns, near, &LaunchedCall::start_ns);
}

int64_t LaunchList::gpu_ns(size_t index, size_t end) const {
  const auto before = [&](size_t i) { return i < work.size() ? work[i].before_ns : total_ns; };
  return before(end) - before(index);
}

int64_t LaunchList::gpu_ns(const Span& span) const { return gpu_ns(from(span.first), from(span.second)); }

Launches::Launches(const Trace& trace)
    : trace_(trace),
      by_thread_(lists_by_thread(trace)),
      by_process_(std::max<size_t>(trace.processes.size(), 1)),
      only_thread_(by_process_.size(), kNone) {
  std::vector<size_t> launching(by_process_.size(), 0);
  for (ThreadId thread = 0; thread < by_thread_.size(); ++thread) {
    if (by_thread_[thread].work.empty()) continue;
    ++launching[process_of(thread)];
    only_thread_[process_of(thread)] = thread;
  }
  for (ThreadId thread = 0; thread < by_thread_.size(); ++thread) {
    const uint32_t process = process_of(thread);
    if (launching[process] < 2 || by_thread_[thread].work.empty()) continue;
    only_thread_[process] = kNone;
    auto& all = by_process_[process].work;
    all.insert(all.end(), by_thread_[thread].work.begin(), by_thread_[thread].work.end());
  }
  for (LaunchList& list : by_process_) {
    std::ranges::sort(list.work, {}, &LaunchedCall::call);
    sum_up(list);
  }
  for (LaunchList& list : by_thread_) sum_up(list);
}

uint32_t Launches::process_of(ThreadId thread) const {
  const uint32_t process = thread < trace_.threads.size() ? trace_.threads[thread].process : 0;
  return process < only_thread_.size() ? process : 0;
}

const LaunchList& Launches::of_thread(ThreadId thread) const {
  static const LaunchList empty;
  return thread < by_thread_.size() ? by_thread_[thread] : empty;
}

const LaunchList& Launches::around(ThreadId thread) const {
  const uint32_t process = process_of(thread);
  return only_thread_[process] == kNone ? by_process_[process] : by_thread_[only_thread_[process]];
}

std::vector<ThreadId> Launches::threads(RankId rank) const {
  std::vector<ThreadId> threads;
  for (ThreadId thread = 0; thread < by_thread_.size(); ++thread) {
    const bool asked = rank == kNone || trace_.processes[process_of(thread)].rank == rank;
    if (asked && !by_thread_[thread].work.empty()) threads.push_back(thread);
  }
  std::ranges::stable_sort(threads, std::greater(), [&](ThreadId t) { return by_thread_[t].work.size(); });
  return threads;
}

std::string first_operation(const Trace& trace, Row call) {
  std::string name;
  int64_t first = std::numeric_limits<int64_t>::max();
  const auto look_at = [&](const GpuOps& ops, auto name_of) {
    for (Row row = 0; row < ops.launch.size(); ++row) {
      if (ops.launch[row] != call || ops.start[row] >= first) continue;
      first = ops.start[row];
      name = name_of(row);
    }
  };
  look_at(trace.kernels, [&](Row row) {
    const NameId id = value_or_absent(trace.kernels.name, row);
    return id == kNone ? std::string("a kernel") : std::string(short_kernel_name(trace.name(id)));
  });
  look_at(trace.copies, [&](Row row) { return copy_operation(value_or_absent(trace.copies.kind, row)); });
  look_at(trace.sets, [](Row) { return set_operation(); });
  look_at(trace.graph_launches, [](Row) { return "a CUDA graph"; });
  return name;
}

}  // namespace sonde
