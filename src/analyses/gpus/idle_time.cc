#include "analyses/gpus/idle_time.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <queue>

#include "analyses/calls/api_kind.h"
#include "analyses/ranges/data_loading.h"
#include "analyses/ranges/range_label.h"
#include "base/system/parallel.h"
#include "base/system/sort_runs.h"
#include "trace/columns.h"
#include "trace/rows_by_thread.h"

namespace sonde {
namespace {

constexpr auto kIdleCauses = std::to_array<IdleCauseInfo>({
#define SONDE_IDLE_CAUSE(name, title, meaning) {#name, title, meaning},
#include "analyses/gpus/idle_causes.inc"
#undef SONDE_IDLE_CAUSE
});

/// What a thread was in for a while.
struct Activity {
  int64_t start;
  int64_t end;
  IdleCause cause;
  NameId name;
  Row range = kNone;  ///< of a range its row

  /// The stronger cause counts; of two with one cause the one that began later, which is the inner one.
  friend bool operator<(const Activity& a, const Activity& b) {
    return a.cause != b.cause ? a.cause > b.cause : a.start < b.start;
  }
};

IdleCause cause_of(ApiKind kind) {
  switch (kind) {
    case ApiKind::launch:
    case ApiKind::copy_async: return IdleCause::launch;
    case ApiKind::copy_blocking: return IdleCause::copy;
    case ApiKind::synchronize: return IdleCause::synchronization;
    case ApiKind::allocate: return IdleCause::allocation;
    case ApiKind::load: return IdleCause::load;
    case ApiKind::initialize: return IdleCause::initialization;
    default: return IdleCause::api;
  }
}

/// Profiles keep CUDA's own overheads with the profiler's: "Lazy Function Loading", "Command Buffer Full".
IdleCause cause_of_overhead(std::string_view name) {
  if (name.contains("Loading") || name.contains("Compil")) return IdleCause::load;
  return name.contains("Command Buffer") ? IdleCause::launch : IdleCause::profiler;
}

/// The ranges of torch.compile: "compile_inner (dynamo_timed)" up to PyTorch 2.12, then "entire_frame_compile".
bool compiles(std::string_view range_name) {
  return range_name.ends_with(" (dynamo_timed)") || range_name.ends_with("frame_compile");
}

/// All that threads were in, thread by thread, in the order of start.
class Activities {
 public:
  explicit Activities(const Trace& trace) : of_thread_(trace.threads.size()) {
    add_ranges(trace);
    add_api(trace);
    add_calls(trace.os_calls, [](NameId) { return IdleCause::os_call; });
    add_calls(trace.library_calls, [](NameId) { return IdleCause::library; });
    add_calls(trace.overheads, [&](NameId name) { return cause_of_overhead(trace.name(name)); });
    for (std::vector<Activity>& activities : of_thread_) sort_runs(activities, &Activity::start);
  }
  [[nodiscard]] const std::vector<Activity>& of(ThreadId thread) const { return of_thread_[thread]; }

 private:
  void add(ThreadId thread, const Activity& activity) {
    if (thread < of_thread_.size() && activity.start < activity.end) of_thread_[thread].push_back(activity);
  }
  void add_ranges(const Trace& trace) {
    const Ranges& r = trace.ranges;
    RangesThatLoadData loads(trace);
    for (Row row = 0; row < row_count(r); ++row) {
      if (!is_named_scope(trace, row)) continue;
      IdleCause cause = loads(row) ? IdleCause::data_loading : IdleCause::range;
      if (compiles(trace.name(r.name[row]))) cause = IdleCause::load;
      add(r.thread[row], {r.start[row], r.end[row], cause, r.name[row], row});
    }
  }
  void add_api(const Trace& trace) {
    const auto kinds = api_kinds(trace);
    for (Row row = 0; row < row_count(trace.api); ++row) {
      add(trace.api.thread[row], {trace.api.start[row], trace.api.end[row], cause_of(kinds[row]), trace.api.name[row]});
    }
  }
  void add_calls(const Calls& calls, const std::function<IdleCause(NameId)>& cause_of) {
    for (Row row = 0; row < row_count(calls); ++row) {
      add(calls.thread[row], {calls.start[row], calls.end[row], cause_of(calls.name[row]), calls.name[row]});
    }
  }

  std::vector<std::vector<Activity>> of_thread_;
};

/// The activities of one thread around spans that come in the order of time.
class Cursor {
 public:
  explicit Cursor(const std::vector<Activity>& activities) : activities_(activities) {}

  /// Those that overlap [start, end); valid until the next call.
  std::span<const Activity> overlapping(int64_t start, int64_t end) {
    std::erase_if(active_, [&](const Activity& a) { return a.end <= start; });
    for (; next_ < activities_.size() && activities_[next_].start < end; ++next_) {
      if (activities_[next_].end > start) active_.push_back(activities_[next_]);
    }
    return active_;
  }

 private:
  const std::vector<Activity>& activities_;
  size_t next_ = 0;
  std::vector<Activity> active_;
};

/// The ranges of a thread that are open at a moment.
class Innermost {
 public:
  void open(const Activity& range) { open_.push_back(range); }
  /// The one that opened last; times must not go back.
  [[nodiscard]] Row at(int64_t time) {
    while (!open_.empty() && open_.back().end <= time) open_.pop_back();
    return open_.empty() ? kNone : open_.back().range;
  }

 private:
  std::vector<Activity> open_;
};

/// What a thread does between two launches, and would have done while the GPU worked had it not waited before.
bool gets_work_ready(IdleCause cause) { return cause >= IdleCause::launch; }
/// What takes longer in one piece is work of its own; an operator's launch takes a framework some 5 to 50 us.
constexpr int64_t kLongestReadying = 100'000;

/// One operation of a GPU.
struct BusyOperation {
  int64_t start;
  int64_t end;
  Row launch;              ///< of `api`
  int64_t launched_until;  ///< by then it was launched, where the call is not known; kUnknown: not known either
  bool migration;          ///< of managed memory, which no call launches
};

/// The beginning of the record of a process' calls.
struct FirstCall {
  uint32_t correlation = std::numeric_limits<uint32_t>::max();  ///< the smallest
  int64_t start = std::numeric_limits<int64_t>::max();          ///< the earliest
};

std::vector<FirstCall> first_calls(const Trace& trace) {
  std::vector<FirstCall> first(trace.processes.size());
  const Calls& api = trace.api;
  for (Row row = 0; row < row_count(api); ++row) {
    if (api.correlation.empty() || api.correlation[row] == 0 || api.thread[row] == kNone) continue;
    FirstCall& call = first[trace.threads[api.thread[row]].process];
    call.correlation = std::min(call.correlation, api.correlation[row]);
    call.start = std::min(call.start, api.start[row]);
  }
  return first;
}

bool is_unified_copy(const Copies& copies, Row row) {
  return copies.kind[row] >= static_cast<uint8_t>(CopyKind::unified_host_to_device);
}
bool is_unified_copy(const GpuOps&, Row) { return false; }

std::vector<std::vector<BusyOperation>> operations_of(const Trace& trace, const Gpus& gpus) {
  std::vector<std::vector<BusyOperation>> of_gpu(gpus.gpus.size());
  const std::vector<size_t> counts = operation_count_by_gpu(trace, gpus);
  for (size_t gpu = 0; gpu < of_gpu.size(); ++gpu) of_gpu[gpu].reserve(counts[gpu]);
  const std::vector<FirstCall> first = first_calls(trace);
  for_each_gpu_table(trace, [&](const auto& ops) {
    for (Row row = 0; row < row_count(ops); ++row) {
      const Row launch = ops.launch.empty() ? kNone : ops.launch[row];
      const uint32_t correlation = ops.correlation.empty() ? 0 : ops.correlation[row];
      const FirstCall& call = first[trace.streams[ops.stream[row]].process];
      const bool before_all = launch == kNone && correlation != 0 && correlation < call.correlation;
      const int64_t until = before_all && call.correlation != kNone ? call.start : kUnknown;
      const bool migration = launch == kNone && is_unified_copy(ops, row);
      of_gpu[gpus.of_stream[ops.stream[row]]].push_back({ops.start[row], ops.end[row], launch, until, migration});
    }
  });
  for (auto& operations : of_gpu) sort_runs(operations, &BusyOperation::start);
  return of_gpu;
}

/// Takes the idle spans of one GPU apart.
class Taker {
 public:
  Taker(const Trace& trace, const Activities& activities, uint32_t gpu, const std::function<void(const IdlePiece&)>& f)
      : trace_(trace), activities_(activities), gpu_(gpu), f_(f) {}

  void take(const std::vector<BusyOperation>& operations, Span extent) {
    int64_t busy_until = extent.first;
    bool first = true;
    for (const BusyOperation& op : operations) {
      const int64_t idle_until = std::min(op.start, extent.second);
      if (first) {
        give({gpu_, busy_until, idle_until, IdleCause::before_first});
      } else if (idle_until > busy_until) {
        take_apart(busy_until, idle_until, op);
      }
      first = false;
      busy_until = std::max(busy_until, op.end);
      if (busy_until >= extent.second) return;
    }
    give({gpu_, busy_until, extent.second, IdleCause::after_last});
  }

 private:
  void give(const IdlePiece& piece) {
    if (piece.start_ns < piece.end_ns) f_(piece);
  }

  /// The span until the launch of `op` had returned is the thread's, the rest the queue's.
  void take_apart(int64_t start, int64_t end, const BusyOperation& op) {
    const ThreadId thread = op.launch == kNone ? kNone : trace_.api.thread[op.launch];
    if (thread != kNone) {
      const int64_t launched = std::clamp(trace_.api.end[op.launch], start, end);
      give_thread(start, launched, op.launch);
      give_queue(launched, end, op.launch);
      return;
    }
    if (op.migration) return give({gpu_, start, end, IdleCause::migration});
    const int64_t launched = op.launched_until == kUnknown ? end : std::clamp(op.launched_until, start, end);
    give({gpu_, start, launched, IdleCause::unknown});
    give_queue(launched, end, kNone);
  }

  void give_queue(int64_t start, int64_t end, Row launch) {
    // A kernel behind another on its stream starts 1 to 2 us after it, and so does one whose launch has just returned.
    constexpr int64_t kLongestStart = 5'000;
    IdlePiece piece{gpu_, start, end, end - start <= kLongestStart ? IdleCause::start : IdleCause::queued};
    if (launch != kNone) {
      piece.thread = trace_.api.thread[launch];
      piece.name = trace_.api.name[launch];
      piece.launch = launch;
    }
    give(piece);
  }

  /// Cuts [start, end) where the strongest of what the thread was in changes.
  void give_thread(int64_t start, int64_t end, Row launch) {
    if (start >= end) return;
    const ThreadId thread = trace_.api.thread[launch];
    const auto overlapping = cursors_.try_emplace(thread, activities_.of(thread)).first->second.overlapping(start, end);
    const Activity* const waited = waited_at(start, overlapping);
    std::priority_queue<Activity> open;
    Innermost ranges;
    auto next = overlapping.begin();
    while (start < end) {
      for (; next != overlapping.end() && next->start <= start; ++next) {
        open.push(*next);
        if (next->range != kNone) ranges.open(*next);
      }
      while (!open.empty() && open.top().end <= start) open.pop();
      const Activity now = open.empty() ? Activity{start, end, IdleCause::host, kNone} : open.top();
      const Row range = ranges.at(start);
      int64_t until = std::min(end, now.end);
      // What begins meanwhile and is weaker does not end the piece.
      for (; next != overlapping.end() && next->start < until; ++next) {
        if (open.empty() || now < *next) {
          until = next->start;
          break;
        }
        open.push(*next);
        if (next->range != kNone) ranges.open(*next);
      }
      const bool ready_soon = gets_work_ready(now.cause) && until - start <= kLongestReadying;
      const Activity& to_blame = waited != nullptr && ready_soon ? *waited : now;
      give({gpu_, start, until, to_blame.cause, thread, to_blame.name, range, launch});
      start = until;
    }
  }

  /// The call by which the thread waited for the GPU as it ran dry.
  static const Activity* waited_at(int64_t time, std::span<const Activity> activities) {
    const auto found = std::ranges::find_if(activities, [&](const Activity& a) {
      return a.start < time && (a.cause == IdleCause::synchronization || a.cause == IdleCause::copy);
    });
    return found == activities.end() ? nullptr : &*found;
  }

  const Trace& trace_;
  const Activities& activities_;
  uint32_t gpu_;
  const std::function<void(const IdlePiece&)>& f_;
  std::map<ThreadId, Cursor> cursors_;
};

}  // namespace

const IdleCauseInfo& info_of(IdleCause cause) { return kIdleCauses[static_cast<size_t>(cause)]; }

void for_each_idle_piece(const Trace& trace, const Gpus& gpus, Span extent,
                         const std::function<void(const IdlePiece&)>& f) {
  std::optional<Activities> activities;
  std::vector<std::vector<BusyOperation>> operations;
  run_together({[&] { activities.emplace(trace); }, [&] { operations = operations_of(trace, gpus); }});
  for (uint32_t gpu = 0; gpu < operations.size(); ++gpu) {
    Taker(trace, *activities, gpu, f).take(operations[gpu], extent);
  }
}

}  // namespace sonde
