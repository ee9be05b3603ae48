#include "analyses/gpus/idle_time.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <optional>

#include "analyses/calls/api_kind.h"
#include "analyses/gpus/operations_by_start.h"
#include "analyses/ranges/data_loading.h"
#include "analyses/ranges/range_label.h"
#include "base/system/parallel.h"
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

/// All that threads were in.
class Activities {
 public:
  explicit Activities(const Trace& trace)
      : trace_(trace),
        api_kinds_(api_kinds(trace)),
        loads_data_(trace),
        tables_{table_of(trace.ranges), table_of(trace.api), table_of(trace.os_calls), table_of(trace.library_calls),
                table_of(trace.overheads)} {}

  static constexpr size_t kTables = 5;
  /// Rows of one table, by start.
  [[nodiscard]] std::span<const Row> rows(size_t table, ThreadId thread) const {
    return tables_[table].by_thread.rows_of(thread);
  }
  [[nodiscard]] int64_t start(size_t table, Row row) const { return (*tables_[table].start)[row]; }
  [[nodiscard]] int64_t end(size_t table, Row row) const { return (*tables_[table].end)[row]; }

  /// Absent of a range that is not a named scope.
  [[nodiscard]] std::optional<Activity> activity(size_t table, Row row) const {
    const Activity activity{start(table, row), end(table, row), IdleCause::os_call, (*tables_[table].name)[row]};
    switch (table) {
      case 0: return of_range(activity, row);
      case 1: return with(activity, cause_of(api_kinds_[row]));
      case 2: return activity;
      case 3: return with(activity, IdleCause::library);
      default: return with(activity, cause_of_overhead(trace_.name(activity.name)));
    }
  }

 private:
  struct Table {
    const Times* start;
    const Times* end;
    const Ids* name;
    RowsByThread by_thread;
  };
  template <typename Rows>
  [[nodiscard]] Table table_of(const Rows& rows) const {
    return {&rows.start, &rows.end, &rows.name, RowsByThread(rows.thread, trace_.threads.size())};
  }
  static Activity with(Activity activity, IdleCause cause) {
    activity.cause = cause;
    return activity;
  }
  [[nodiscard]] std::optional<Activity> of_range(Activity activity, Row row) const {
    if (!is_named_scope(trace_, row)) return std::nullopt;
    activity.range = row;
    activity.cause = loads_data_(row) ? IdleCause::data_loading : IdleCause::range;
    if (compiles(trace_.name(activity.name))) activity.cause = IdleCause::load;
    return activity;
  }

  const Trace& trace_;
  std::vector<ApiKind> api_kinds_;
  mutable RangesThatLoadData loads_data_;
  std::array<Table, kTables> tables_;
};

/// The activities of one thread around spans that come in the order of time.
class Cursor {
 public:
  Cursor(const Activities& activities, ThreadId thread) : activities_(activities) {
    for (size_t table = 0; table < Activities::kTables; ++table) {
      left_[table] = activities.rows(table, thread);
      find_next(table);
    }
  }

  /// Those that overlap [start, end), by start; valid until the next call.
  std::span<const Activity> overlapping(int64_t start, int64_t end) {
    std::erase_if(active_, [&](const Activity& a) { return a.end <= start; });
    for (;;) {
      const auto table = static_cast<size_t>(std::ranges::min_element(next_start_) - next_start_.begin());
      if (next_start_[table] >= end) return active_;
      const Row row = left_[table].front();
      if (activities_.end(table, row) > std::max(start, next_start_[table])) {
        if (const auto activity = activities_.activity(table, row)) active_.push_back(*activity);
      }
      left_[table] = left_[table].subspan(1);
      find_next(table);
    }
  }

 private:
  void find_next(size_t table) {
    next_start_[table] =
        left_[table].empty() ? std::numeric_limits<int64_t>::max() : activities_.start(table, left_[table].front());
  }

  const Activities& activities_;
  std::array<std::span<const Row>, Activities::kTables> left_;
  std::array<int64_t, Activities::kTables> next_start_;
  std::vector<Activity> active_;
};

/// Activities that have begun, the strongest first.
class OpenActivities {
 public:
  void clear() { heap_.clear(); }
  void open(const Activity& activity) {
    heap_.push_back(activity);
    std::ranges::push_heap(heap_, std::less<Activity>());
  }
  /// nullptr if all have ended by then; valid until the next call.
  [[nodiscard]] const Activity* strongest_at(int64_t time) {
    while (!heap_.empty() && heap_.front().end <= time) {
      std::ranges::pop_heap(heap_, std::less<Activity>());
      heap_.pop_back();
    }
    return heap_.empty() ? nullptr : &heap_.front();
  }

 private:
  std::vector<Activity> heap_;
};

/// The ranges of a thread that are open at a moment.
class Innermost {
 public:
  void clear() { open_.clear(); }
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

/// One operation of a GPU.
struct BusyOperation {
  const GpuOps* table;
  Row row;
  [[nodiscard]] int64_t start() const { return table->start[row]; }
  [[nodiscard]] int64_t end() const { return table->end[row]; }
  [[nodiscard]] Row launch() const { return table->launch.empty() ? kNone : table->launch[row]; }  ///< of `api`
};

/// Of each GPU, by start.
std::vector<std::vector<BusyOperation>> operations_of(const Trace& trace, const Gpus& gpus) {
  std::vector<std::vector<BusyOperation>> of_gpu(gpus.gpus.size());
  const std::vector<size_t> counts = operation_count_by_gpu(trace, gpus);
  for (size_t gpu = 0; gpu < of_gpu.size(); ++gpu) of_gpu[gpu].reserve(counts[gpu]);
  for_each_operation_by_start(
      trace, [&](const GpuOps& ops, Row row) { of_gpu[gpus.of_stream[ops.stream[row]]].push_back({&ops, row}); });
  return of_gpu;
}

/// Takes the idle spans of one GPU apart.
class Taker {
 public:
  Taker(const Trace& trace, const Activities& activities, const std::vector<FirstCall>& first, uint32_t gpu,
        const std::function<void(const IdlePiece&)>& f)
      : trace_(trace), activities_(activities), first_(first), gpu_(gpu), f_(f) {}

  void take(const std::vector<BusyOperation>& operations, Span extent) {
    int64_t busy_until = extent.first;
    bool first = true;
    for (const BusyOperation& op : operations) {
      const int64_t idle_until = std::min(op.start(), extent.second);
      if (first) {
        give({gpu_, busy_until, idle_until, IdleCause::before_first});
      } else if (idle_until > busy_until) {
        take_apart(busy_until, idle_until, op);
      }
      first = false;
      busy_until = std::max(busy_until, op.end());
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
    const Row launch = op.launch();
    const ThreadId thread = launch == kNone ? kNone : trace_.api.thread[launch];
    if (thread != kNone) {
      const int64_t launched = std::clamp(trace_.api.end[launch], start, end);
      give_thread(start, launched, launch);
      give_queue(launched, end, launch);
      return;
    }
    if (launch == kNone && is_migration(op)) return give({gpu_, start, end, IdleCause::migration});
    const int64_t launched =
        launch == kNone && before_all_calls(op) ? std::clamp(first_call(op).start, start, end) : end;
    give({gpu_, start, launched, IdleCause::unknown});
    give_queue(launched, end, kNone);
  }

  /// Of managed memory, which no call launches.
  [[nodiscard]] bool is_migration(const BusyOperation& op) const {
    return op.table == &trace_.copies &&
           trace_.copies.kind[op.row] >= static_cast<uint8_t>(CopyKind::unified_host_to_device);
  }
  [[nodiscard]] const FirstCall& first_call(const BusyOperation& op) const {
    return first_[trace_.streams[op.table->stream[op.row]].process];
  }
  /// Whether it was launched before the record of its process' calls begins.
  [[nodiscard]] bool before_all_calls(const BusyOperation& op) const {
    const uint32_t correlation = op.table->correlation.empty() ? 0 : op.table->correlation[op.row];
    const uint32_t first = first_call(op).correlation;
    return correlation != 0 && correlation < first && first != kNone;
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
    const auto overlapping = cursors_.try_emplace(thread, activities_, thread).first->second.overlapping(start, end);
    const Activity* const waited = waited_at(start, overlapping);
    open_.clear();
    ranges_.clear();
    auto next = overlapping.begin();
    while (start < end) {
      for (; next != overlapping.end() && next->start <= start; ++next) open(*next);
      const Activity* const strongest = open_.strongest_at(start);
      const bool in_none = strongest == nullptr;
      const Activity now = in_none ? Activity{start, end, IdleCause::host, kNone} : *strongest;
      const Row range = ranges_.at(start);
      int64_t until = std::min(end, now.end);
      // What begins meanwhile and is weaker does not end the piece.
      for (; next != overlapping.end() && next->start < until; ++next) {
        if (in_none || now < *next) {
          until = next->start;
          break;
        }
        open(*next);
      }
      const bool ready_soon = gets_work_ready(now.cause) && until - start <= kLongestReadying;
      const Activity& to_blame = waited != nullptr && ready_soon ? *waited : now;
      give({gpu_, start, until, to_blame.cause, thread, to_blame.name, range, launch});
      start = until;
    }
  }

  void open(const Activity& activity) {
    open_.open(activity);
    if (activity.range != kNone) ranges_.open(activity);
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
  const std::vector<FirstCall>& first_;  ///< by process
  uint32_t gpu_;
  const std::function<void(const IdlePiece&)>& f_;
  std::map<ThreadId, Cursor> cursors_;
  OpenActivities open_;  ///< in the span that is taken apart, as are these
  Innermost ranges_;
};

}  // namespace

const IdleCauseInfo& info_of(IdleCause cause) { return kIdleCauses[static_cast<size_t>(cause)]; }

void for_each_idle_piece(const Trace& trace, const Gpus& gpus, Span extent,
                         const std::function<void(const IdlePiece&)>& f) {
  std::optional<Activities> activities;
  std::vector<std::vector<BusyOperation>> operations;
  std::vector<FirstCall> first;
  run_together({[&] { activities.emplace(trace); },
                [&] {
                  operations = operations_of(trace, gpus);
                  first = first_calls(trace);
                }});
  for (uint32_t gpu = 0; gpu < operations.size(); ++gpu) {
    Taker(trace, *activities, first, gpu, f).take(operations[gpu], extent);
  }
}

}  // namespace sonde
