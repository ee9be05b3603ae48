#include "analyses/replay/without_recorder.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

#include "analyses/calls/api_kind.h"
#include "analyses/gpus/busy_time.h"
#include "analyses/gpus/communication_kind.h"
#include "analyses/replay/recording_cost.h"
#include "analyses/steps/thread_groups.h"
#include "analyses/steps/warm_up.h"
#include "base/system/parallel.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// Maps recorded host times of a group of threads. Quick for times that are near the one asked before.
class GroupTimes {
 public:
  explicit GroupTimes(std::span<const ReplayedTime> times) : times_(times) {}

  [[nodiscard]] int64_t at(int64_t recorded) {
    if (times_.empty()) return recorded;
    find(recorded);
    if (next_ == 0) return recorded - (times_.front().recorded - times_.front().replayed);
    const ReplayedTime& before = times_[next_ - 1];
    if (next_ == times_.size()) return before.replayed + (recorded - before.recorded);
    const ReplayedTime& next = times_[next_];
    const auto part =
        static_cast<double>(recorded - before.recorded) / static_cast<double>(next.recorded - before.recorded);
    return before.replayed + static_cast<int64_t>(part * static_cast<double>(next.replayed - before.replayed));
  }

 private:
  /// Sets `next_` to the first that was recorded later.
  void find(int64_t recorded) {
    constexpr size_t kNear = 4;
    const auto is_later = [&](size_t i) { return i == times_.size() || times_[i].recorded > recorded; };
    for (size_t i = 0; i < kNear; ++i) {
      if (!is_later(next_)) {
        ++next_;
      } else if (next_ > 0 && is_later(next_ - 1)) {
        --next_;
      } else {
        return;
      }
    }
    const auto found = std::ranges::upper_bound(times_, recorded, {}, &ReplayedTime::recorded);
    next_ = static_cast<size_t>(found - times_.begin());
  }

  std::span<const ReplayedTime> times_;
  size_t next_ = 0;
};

/// Host times of a whole trace: threads that launch nothing keep time with those of their process that do.
class HostTimes {
 public:
  HostTimes(const Trace& trace, const ReplayedRun& run)
      : trace_(trace),
        run_(run),
        of_group_(run.host.begin(), run.host.end()),
        of_process_(trace.processes.size(), kNone) {
    for (ThreadId thread = 0; thread < run.group_of.size(); ++thread) {
      const ProcessId process = trace.threads[thread].process;
      if (run.group_of[thread] == kNone) continue;
      if (process < of_process_.size()) of_process_[process] = run.group_of[thread];
      any_ = run.group_of[thread];
    }
  }

  [[nodiscard]] int64_t of_thread(ThreadId thread, int64_t time) {
    if (thread >= trace_.threads.size()) return of_group(any_, time);
    if (run_.group_of[thread] != kNone) return of_group(run_.group_of[thread], time);
    return of_process(trace_.threads[thread].process, time);
  }
  [[nodiscard]] int64_t of_process(ProcessId process, int64_t time) {
    return of_group(process < of_process_.size() ? of_process_[process] : any_, time);
  }

 private:
  [[nodiscard]] int64_t of_group(uint32_t group, int64_t time) {
    return group == kNone || time == kUnknown ? time : of_group_[group].at(time);
  }

  const Trace& trace_;
  const ReplayedRun& run_;
  std::vector<GroupTimes> of_group_;
  std::vector<uint32_t> of_process_;
  uint32_t any_ = kNone;
};

/// Moves the rows of a table that is not a GPU's.
class HostMover {
 public:
  HostMover(const Trace& trace, HostTimes times) : trace_(trace), times_(std::move(times)) {}

  template <typename Table>
  void move(Table& table) {
    constexpr bool kGpu = std::is_base_of_v<GpuOps, Table> && !std::is_same_v<Table, Syncs>;
    if constexpr (!kGpu) {
      for (size_t row = 0; row < row_count(table); ++row) {
        table.start[row] = moved(table, row, table.start[row]);
        if constexpr (requires { table.end; }) {
          if (table.end[row] != kUnknown) table.end[row] = moved(table, row, table.end[row]);
        }
      }
    }
  }

 private:
  template <typename Table>
  [[nodiscard]] int64_t moved(const Table& table, size_t row, int64_t time) {
    if constexpr (requires { table.thread; }) {
      if (!table.thread.empty()) return times_.of_thread(table.thread[row], time);
    }
    if constexpr (requires { table.stream; }) {
      const StreamId stream = value_or_absent(table.stream, row);
      if (stream < trace_.streams.size()) return times_.of_process(trace_.streams[stream].process, time);
    }
    return times_.of_process(kNone, time);
  }

  const Trace& trace_;
  HostTimes times_;
};

void move_gpu_work(Trace& trace, const ReplayedRun& run, HostTimes times) {
  std::vector<GpuOps*> tables;
  for_each_gpu_table(trace, [&](GpuOps& ops) {
    tables.push_back(&ops);
    // Pages that come while a kernel runs are not replayed: the host's time is the best that is known.
    for (Row row = 0; row < row_count(ops); ++row) {
      const int64_t start = times.of_process(trace.streams[ops.stream[row]].process, ops.start[row]);
      ops.end[row] += start - ops.start[row];
      ops.start[row] = start;
    }
  });
  for (const ReplayedRun::Operation& op : run.operations) {
    GpuOps& ops = **std::ranges::find(tables, op.table);
    ops.start[op.row] = op.start_ns;
    ops.end[op.row] = op.end_ns;
  }
}

/// Rows of one process keep their order; those of several may not. Links follow.
void sort_again(Trace& trace) {
  const auto places_of = [](const std::vector<Row>& order) {
    std::vector<Row> places(order.size());
    for (Row i = 0; i < order.size(); ++i) places[order[i]] = i;
    return places;
  };
  const auto follow = [](Ids& links, const std::vector<Row>& places) {
    for (uint32_t& link : links) link = link == kNone ? kNone : places[link];
  };
  const auto calls =
      sorted_order(row_count(trace.api), [&](Row a, Row b) { return trace.api.start[a] < trace.api.start[b]; });
  if (!calls.empty()) {
    const auto places = places_of(calls);
    reorder(trace.api, calls);
    for_each_gpu_table(trace, [&](GpuOps& ops) { follow(ops.launch, places); });
    follow(trace.syncs.launch, places);
    for (DomainLinks& links : trace.range_links) permute(links.of_api, calls);
  }
  Ranges& r = trace.ranges;
  const auto ranges = sorted_order(row_count(r), [&](Row a, Row b) {
    return r.start[a] != r.start[b] ? r.start[a] < r.start[b] : r.end[a] > r.end[b];
  });
  if (!ranges.empty()) {
    const auto places = places_of(ranges);
    reorder(r, ranges);
    follow(r.parent, places);
    follow(r.forward, places);
    for (DomainLinks& links : trace.range_links) follow(links.of_api, places);
  }
  for_each_table(trace, [](auto& table, std::string_view) { sort_by_start(table); });
}

/// The work that is launched in the steps, from the first to the last.
class StepOperations {
 public:
  StepOperations(const Trace& trace, const std::optional<WarmUp>& steps) {
    const Span host = steps ? Span{steps->launched.front().first, steps->launched.back().second} : Span{};
    for_each_gpu_table(trace, [&](const GpuOps& ops) {
      for (Row row = 0; row < row_count(ops); ++row) {
        if (steps && !is_launched_in(trace, ops.launch[row], host)) continue;
        busy_.emplace_back(ops.start[row], ops.end[row]);
        if (first_.table == nullptr || ops.start[row] < first_.table->start[first_.row]) first_ = {&ops, row};
        if (last_.table == nullptr || ops.end[row] > last_.table->end[last_.row]) last_ = {&ops, row};
      }
    });
    if (steps) steps_ = steps->launched.size();
    merge_spans(busy_);
  }

  [[nodiscard]] size_t steps() const { return steps_; }
  [[nodiscard]] bool empty() const { return first_.table == nullptr; }
  [[nodiscard]] int64_t recorded_ns() const {
    return by_step(last_.table->end[last_.row] - first_.table->start[first_.row]);
  }
  [[nodiscard]] int64_t busy_ns() const {
    return by_step(std::accumulate(busy_.begin(), busy_.end(), int64_t{0},
                                   [](int64_t sum, const Span& span) { return sum + span.second - span.first; }));
  }
  [[nodiscard]] int64_t replayed_ns(const ReplayedRun& run) const {
    int64_t start = 0;
    int64_t end = 0;
    for (const ReplayedRun::Operation& op : run.operations) {
      if (op.table == first_.table && op.row == first_.row) start = op.start_ns;
      if (op.table == last_.table && op.row == last_.row) end = op.end_ns;
    }
    return by_step(end - start);
  }

 private:
  struct Operation {
    const GpuOps* table = nullptr;
    Row row = kNone;
  };
  static bool is_launched_in(const Trace& trace, Row call, const Span& host) {
    return call != kNone && trace.api.start[call] >= host.first && trace.api.start[call] < host.second;
  }
  [[nodiscard]] int64_t by_step(int64_t ns) const { return steps_ == 0 ? ns : ns / static_cast<int64_t>(steps_); }

  Operation first_;
  Operation last_;
  std::vector<Span> busy_;
  size_t steps_ = 0;
};

/// Replays the run with more or less of the recorder's cost.
class CostReplays {
 public:
  CostReplays(const Trace& trace, const Gpus& gpus, RecordingCost cost)
      : cuts_(trace, groups_of_threads(trace, gpus), std::move(cost)),
        replays_(trace, gpus, match_collectives(trace, gpus, communication_kinds(trace)), api_kinds(trace),
                 run_extent(trace)) {}

  [[nodiscard]] const RecordingCost& cost() const { return cuts_.cost(); }
  [[nodiscard]] ReplayedRun replayed(double factor) const {
    Change change;
    change.cuts = cuts_.times(factor);
    change.node_gap_ns = static_cast<int64_t>(static_cast<double>(kNodeGapNs) * factor);
    return replays_.run(change);
  }

 private:
  RecorderCuts cuts_;
  Replays replays_;
};

int64_t scaled(int64_t ns, double factor) { return static_cast<int64_t>(static_cast<double>(ns) * factor); }

/// The factor of the recorder's cost with which a step takes this time, by halving: the more is taken out, the shorter
/// it is.
template <typename StepAt>
double factor_for(int64_t step_ns, const StepAt& step_at) {
  constexpr double kMaxFactor = 4;
  constexpr int kHalvings = 12;
  double low = 0;
  double high = kMaxFactor;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (step_at(middle) > step_ns ? low : high) = middle;
  }
  return (low + high) / 2;
}

struct ReplayedWithout {
  RecordedStep step;
  ReplayedRun run;
};

std::optional<ReplayedWithout> run_without_recorder(const Trace& trace, std::optional<int64_t> true_step_ns) {
  auto cost = recording_cost(trace);
  if (!cost) return std::nullopt;
  const Gpus gpus = gpus_of(trace);
  const StepOperations work(trace, find_warm_up(trace));
  if (gpus.gpus.empty() || work.empty()) return std::nullopt;
  const CostReplays without(trace, gpus, std::move(*cost));
  const auto step_at = [&](double factor) { return work.replayed_ns(without.replayed(factor)); };
  ReplayedWithout found;
  found.step = {.steps = work.steps(),
                .recorded_ns = work.recorded_ns(),
                .busy_ns = work.busy_ns(),
                .given = true_step_ns.has_value()};
  if (true_step_ns) {
    found.run = without.replayed(factor_for(*true_step_ns, step_at));
    found.step.without_ns = found.step.low_ns = found.step.high_ns = work.replayed_ns(found.run);
    return found;
  }
  run_together({[&] {
                  found.run = without.replayed(1);
                  found.step.without_ns = work.replayed_ns(found.run);
                },
                [&] { found.step.low_ns = scaled(step_at(without.cost().high()), 1 - kRunSpread); },
                [&] { found.step.high_ns = scaled(step_at(without.cost().low()), 1 + kRunSpread); }});
  return found;
}

/// Begins and ends of GPU work, of calls and of ranges.
std::vector<int64_t> times_of_events(const Trace& trace) {
  std::vector<int64_t> times;
  const auto add = [&](const auto& table) {
    times.insert(times.end(), table.start.begin(), table.start.end());
    times.insert(times.end(), table.end.begin(), table.end.end());
  };
  for_each_gpu_table(trace, add);
  add(trace.api);
  add(trace.ranges);
  return times;
}

}  // namespace

RecordedTimes::RecordedTimes(std::vector<Pair> pairs) : pairs_(std::move(pairs)) {
  std::ranges::stable_sort(pairs_, {}, &Pair::now);
}

int64_t RecordedTimes::at(int64_t now) const {
  const auto next = std::ranges::lower_bound(pairs_, now, {}, &Pair::now);
  if (next == pairs_.end()) return pairs_.empty() ? now : pairs_.back().recorded + (now - pairs_.back().now);
  if (next->now == now || next == pairs_.begin()) return next->recorded - (next->now - now);
  const Pair& before = *std::prev(next);
  return std::min(before.recorded + (now - before.now), std::max(before.recorded, next->recorded));
}

std::optional<RecordedStep> step_without_recorder(const Trace& trace, std::optional<int64_t> true_step_ns) {
  const auto found = run_without_recorder(trace, true_step_ns);
  return found ? std::optional(found->step) : std::nullopt;
}

std::optional<WithoutRecorder> take_out_recorder(Trace& trace, std::optional<int64_t> true_step_ns) {
  const auto found = run_without_recorder(trace, true_step_ns);
  if (!found) return std::nullopt;
  const std::vector<int64_t> recorded = times_of_events(trace);
  const HostTimes times(trace, found->run);
  std::vector<std::function<void()>> moves = {[&] { move_gpu_work(trace, found->run, times); }};
  for_each_table(trace, [&](auto& table, std::string_view) {
    moves.emplace_back([&trace, &times, &table] { HostMover(trace, times).move(table); });
  });
  run_together(moves);
  const std::vector<int64_t> now = times_of_events(trace);
  std::vector<RecordedTimes::Pair> pairs(now.size());
  for (size_t i = 0; i < now.size(); ++i) pairs[i] = {now[i], recorded[i]};
  WithoutRecorder without{found->step, {}};
  run_together({[&] { sort_again(trace); }, [&] { without.recorded = RecordedTimes(std::move(pairs)); }});
  return without;
}

}  // namespace sonde
