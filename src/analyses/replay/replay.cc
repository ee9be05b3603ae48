#include "analyses/replay/replay.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>

#include "analyses/replay/changed_program.h"
#include "analyses/replay/ended_operations.h"
#include "analyses/replay/recorded_extent.h"
#include "trace/columns.h"

namespace sonde {
namespace {

constexpr int64_t kNever = kNeverInReplay;

/// A recorded time and when it comes in the replay.
struct Moment {
  int64_t recorded = kNever;
  int64_t replayed = kNever;
  void raise(const Moment& other) {
    recorded = std::max(recorded, other.recorded);
    replayed = std::max(replayed, other.replayed);
  }
};

/// A collective in the replay.
struct Meeting {
  int64_t replayed_last = kNever;      ///< of those that have entered so far
  std::vector<uint32_t> entered = {};  ///< operations
  size_t missing = 0;                  ///< participants that have not entered yet
};

class Replay {
 public:
  Replay(const RecordedExtent& recorded, const Change& change)
      : trace_(recorded.trace),
        recorded_(recorded),
        change_(change),
        operations_(recorded, change),
        calls_(recorded, change.cuts),
        meetings_(recorded.meetings.size()),
        first_start_(recorded.first_next),
        ends_(recorded.operations.size(), kNever),
        shift_(recorded.host_ends.size(), 0),
        call_shift_(recorded.calls.size(), kUnknown),
        graph_shift_(change.cuts.size(), 0),
        groups_(change.side_by_side.size()),
        streams_(recorded.streams.size()),
        ended_(shift_.size()),
        waits_{Wait{.shortest = recorded.shortest_wait}, Wait{.shortest = recorded.shortest_release}} {
    for (size_t i = 0; i < meetings_.size(); ++i) {
      meetings_[i].missing = recorded.meetings[i].inside;
      meetings_[i].replayed_last = recorded.meetings[i].entered_outside;
    }
  }

  [[nodiscard]] int64_t end_ns() {
    replay_events();
    int64_t end = kNever;
    for (const int64_t host : host_ends()) end = std::max(end, host);
    for (uint32_t i = 0; i < ends_.size(); ++i) {
      // What still ran at the end of the extent ran beside what came next.
      if (recorded_.operations[i].end <= recorded_.extent.second) end = std::max(end, ends_[i]);
    }
    return end;
  }

  [[nodiscard]] ReplayedRun times() {
    host_.resize(shift_.size());
    first_start_ = 0;
    replay_events();
    ReplayedRun run{.operations = {}, .group_of = recorded_.group_of, .host = std::move(host_)};
    for (uint32_t i = 0; i < ends_.size(); ++i) {
      const RecordedOperation& op = recorded_.operations[i];
      run.operations.push_back({op.table, op.row, start_of(i), ends_[i]});
    }
    return run;
  }

 private:
  /// When each group of threads has done its part of the extent. A host that had launched later kernels before the
  /// extent's end was ahead of the GPU: it is done when the next of them starts, if not before. So was one that did
  /// nothing more.
  [[nodiscard]] Longs host_ends() const {
    Longs ends = recorded_.host_ends;
    for (size_t group = 0; group < ends.size(); ++group) {
      if (ends[group] == kNever) continue;
      ends[group] -= shift_[group];
      const uint32_t next = recorded_.next[group];
      if (next == kNone || start_of(next) == kNever) continue;
      ends[group] =
          std::min(ends[group], start_of(next) - (recorded_.operations[next].start - recorded_.extent.second));
    }
    return ends;
  }

  [[nodiscard]] int64_t start_of(uint32_t operation) const { return starts_[operation - first_start_]; }

  /// A cut's end, or the start of one whose work runs as a graph.
  struct CutEvent {
    int64_t time;
    bool graph;
    uint32_t cut;
  };

  [[nodiscard]] std::vector<CutEvent> cut_events() const {
    std::vector<CutEvent> events;
    for (uint32_t i = 0; i < change_.cuts.size(); ++i) {
      if (change_.cuts[i].as_graph) events.push_back({change_.cuts[i].start_ns, true, i});
      events.push_back({change_.cuts[i].end_ns, false, i});
    }
    std::ranges::stable_sort(events, {}, [](const CutEvent& e) { return std::tuple(e.time, e.graph); });
    return events;
  }

  /// In the order of the recorded timeline; at one time operations start before calls return and cuts end. A cut
  /// between calls ends before the next one, which may have no length.
  void replay_events() {
    starts_.assign(ends_.size() - first_start_, kNever);
    constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
    const std::vector<CutEvent> cuts = cut_events();
    const std::vector<RecordedCall>& calls = recorded_.calls;
    size_t op = 0;
    size_t call = 0;
    size_t cut = 0;
    while (op < ends_.size() || call < calls.size() || cut < cuts.size()) {
      const int64_t op_time = op < ends_.size() ? recorded_.operations[op].start : kEnd;
      const int64_t call_time = call < calls.size() ? trace_.api.end[calls[call].row] : kEnd;
      const int64_t cut_time = cut < cuts.size() ? cuts[cut].time : kEnd;
      if (op_time <= call_time && op_time <= cut_time) {
        replay_operation(static_cast<uint32_t>(op++));
      } else if (call_time < cut_time || (call_time == cut_time && !ends_between_calls(cuts, cut))) {
        replay_call(static_cast<uint32_t>(call++));
      } else if (cuts[cut].graph) {
        graph_shift_[cuts[cut].cut] = shift_of(change_.cuts[cuts[cut].cut].thread);
        ++cut;
      } else {
        replay_cut(change_.cuts[cuts[cut++].cut]);
      }
    }
  }

  [[nodiscard]] bool ends_between_calls(const std::vector<CutEvent>& cuts, size_t cut) const {
    return cut < cuts.size() && change_.cuts[cuts[cut].cut].between_calls;
  }

  void replay_cut(const Cut& cut) {
    int64_t& shift = shift_of(cut.thread);
    keep_time(cut.thread, cut.start_ns, shift);
    shift += length_of(cut);
    keep_time(cut.thread, cut.end_ns, shift);
  }

  /// Keeps when a host time of a thread comes in the replay, if times() asks.
  void keep_time(ThreadId thread, int64_t recorded, int64_t shift) {
    const uint32_t group = recorded_.group_of_thread(thread);
    if (host_.empty() || group == kNone) return;
    std::vector<ReplayedTime>& times = host_[group];
    if (!times.empty() && recorded < times.back().recorded) return;
    times.push_back({recorded, times.empty() ? recorded - shift : std::max(times.back().replayed, recorded - shift)});
  }

  static int64_t length_of(const Cut& cut) { return cut.end_ns - cut.start_ns; }
  /// How much earlier a thread is than recorded.
  int64_t& shift_of(ThreadId thread) {
    const uint32_t group = recorded_.group_of_thread(thread);
    return shift_[group == kNone ? shift_.size() - 1 : group];
  }

  void replay_operation(uint32_t index) {
    const RecordedOperation& op = recorded_.operations[index];
    const StreamId on = operations_.stream_of(index);
    Stream& stream = streams_[on];
    if (calls_.is_gone(op.call, op.launch)) {
      ends_[index] = stream.end.replayed;
      stream.end.raise({op.end, kNever});
      streams_[op.stream].for_host.raise({op.end, ends_[index]});
      finish(index, ends_[index]);
      if (op.collective != kNone) enter(op.collective, kNever);
      return;
    }
    const uint32_t graph = calls_.graph_of(op.call, op.launch);
    const bool in_graph = graph != kNone;
    const uint32_t group = operations_.group_of(index);
    const int64_t delay = recorded_.operation_delay;
    Moment start = launched(op, graph);
    start.raise({stream.end.recorded + delay, stream.end.replayed + (in_graph ? 0 : delay)});
    const bool beside = group != kNone && groups_[group].start != kNever;
    const bool gated = !beside || !change_.side_by_side[group].without_events;
    if (gated && stream.gate.recorded <= op.start) start.raise(stream.gate);
    if (operations_.behind(index) != kNone) start.raise(streams_[operations_.behind(index)].end);
    if (!beside) await_default_stream(on, op.start, start);
    if (beside) {
      start.replayed = std::max(start.replayed, groups_[group].start);
    } else if (!operations_.ahead(index) && !in_graph) {
      start = explained(on, op.start, start);
    }
    if (is_copy(op)) start.replayed = std::max(start.replayed, engine_free(op));
    start.replayed -= saved_node_gap(op, stream.last_launch, op.start - stream.end.recorded);
    stream.last_launch = op.launch;
    if (index >= first_start_) starts_[index - first_start_] = start.replayed;
    if (op.collective != kNone) {
      meetings_[op.collective].entered.push_back(index);
      enter(op.collective, start.replayed);
      return;
    }
    const int64_t end = start.replayed + operations_.duration_ns(index);
    if (group != kNone) join_group(groups_[group], start.replayed, end);
    ends_at(index, end);
  }

  /// Nodes of one graph launch follow each other without the host. Those that were traced one by one started later.
  [[nodiscard]] int64_t saved_node_gap(const RecordedOperation& op, Row launch_before, int64_t gap) const {
    if (change_.node_gap_ns == 0 || op.launch == kNone || launch_before != op.launch) return 0;
    constexpr int64_t kKeptPart = 4;  // a quarter: with the one measured graph, 0.2 of 0.66 us
    return std::clamp<int64_t>(gap - gap / kKeptPart, 0, change_.node_gap_ns);
  }

  void ends_at(uint32_t index, int64_t replayed_end) {
    const RecordedOperation& op = recorded_.operations[index];
    const StreamId on = operations_.stream_of(index);
    ends_[index] = replayed_end;
    streams_[on].end.raise({op.end, replayed_end});
    streams_[op.stream].for_host.raise({op.end, replayed_end});
    if (is_copy(op)) engines_[recorded_.engine_of(op)].raise({op.end, replayed_end});
    int64_t for_gpu = replayed_end;
    if (operations_.ahead(index)) {
      // What came behind the copy on its stream waited for it, and does so no longer. Whoever else waited for it still
      // waits for what had ended before it.
      streams_[op.stream].end.raise({op.end, kNever});
      for_gpu = last_ended(group_of(on), op.end, &EndedOperation::for_gpu_ns).replayed;
    }
    const uint32_t group = operations_.group_of(index);
    if (group != kNone) for_gpu = groups_[group].end;
    finish(index, for_gpu);
  }

  /// Once all have entered, what came behind the last entry follows in the replay too. Nothing asks for an end before:
  /// whatever waits for it comes behind it on the recorded timeline, where all had entered.
  void enter(uint32_t collective, int64_t replayed_entry) {
    Meeting& meeting = meetings_[collective];
    meeting.replayed_last = std::max(meeting.replayed_last, replayed_entry);
    if (--meeting.missing > 0) return;
    for (const uint32_t index : meeting.entered) {
      const RecordedOperation& op = recorded_.operations[index];
      const int64_t transfer =
          op.end - recorded_.meetings[collective].last_entry + operations_.duration_ns(index) - op.duration();
      ends_at(index, meeting.replayed_last + std::max<int64_t>(0, transfer));
    }
  }

  /// The context's null stream waits for its blocking streams, and they for it, without a call.
  void await_default_stream(StreamId on, int64_t recorded_start, Moment& start) const {
    const int64_t delay = recorded_.operation_delay;
    for (const StreamId other : recorded_.streams[on].awaited) {
      const Moment& end = streams_[other].end;
      if (end.recorded <= recorded_start) start.raise({end.recorded + delay, end.replayed + delay});
    }
  }

  /// Operations side by side, as replayed.
  struct Group {
    int64_t start = kNever;
    int64_t end = kNever;
  };

  /// The end of what has run so far of a group is that of all that runs side by side in it.
  static void join_group(Group& group, int64_t replayed_start, int64_t replayed_end) {
    if (group.start == kNever) group.start = replayed_start;
    group.end = std::max(group.end, replayed_end);
  }

  /// `graph` is the cut as whose graph it runs.
  Moment launched(const RecordedOperation& op, uint32_t graph) {
    if (op.launch == kNone) return {};
    const int64_t at = op.launched + recorded_.launch_delay;
    if (graph != kNone) return {at, change_.cuts[graph].start_ns + recorded_.launch_delay - graph_shift_[graph]};
    if (op.launched_before) return {at, at};
    const int64_t known = op.call == kNone ? kUnknown : call_shift_[op.call];
    return {at, at - (known == kUnknown ? shift_of(trace_.api.thread[op.launch]) : known)};
  }

  /// `start` moved to where the operation started as recorded.
  [[nodiscard]] Moment explained(StreamId on, int64_t recorded_start, Moment start) const {
    const int64_t late = recorded_start - start.recorded;
    constexpr int64_t kDefaultSpread = 2'000;
    if (late > kDefaultSpread) {
      const Moment awaited = last_ended(group_of(on), recorded_start, &EndedOperation::for_gpu_ns);
      if (awaited.recorded > start.recorded) {
        return {recorded_start, std::max(start.replayed, awaited.replayed + (recorded_start - awaited.recorded))};
      }
    }
    return {recorded_start, start.replayed + late};
  }

  [[nodiscard]] bool is_copy(const RecordedOperation& op) const { return op.table == &trace_.copies; }
  [[nodiscard]] int64_t engine_free(const RecordedOperation& op) const {
    const auto engine = engines_.find(recorded_.engine_of(op));
    return engine == engines_.end() || engine->second.recorded > op.start ? kNever : engine->second.replayed;
  }

  /// Keeps ended operations of each group of threads, since GPUs of different ones wait for each other in collectives
  /// only.
  void finish(uint32_t index, int64_t for_gpu) {
    const int64_t for_host = operations_.behind(index) == kNone ? for_gpu : ends_[index];
    ended_[place_of(group_of(operations_.stream_of(index)))].add({recorded_.operations[index].end, for_gpu, for_host});
  }
  [[nodiscard]] uint32_t group_of(StreamId stream) const { return recorded_.streams[stream].group; }
  [[nodiscard]] size_t place_of(uint32_t group) const { return std::min<size_t>(group, ended_.size() - 1); }
  [[nodiscard]] Moment last_ended(uint32_t group, int64_t time, int64_t EndedOperation::* waiting) const {
    const auto last = ended_[place_of(group)].last_until(time);
    return last ? Moment{last->recorded_ns, *last.*waiting} : Moment{};
  }

  /// A stream that waits for an event waits for what its own stream has by then. What that begins later shows as an
  /// unexplained wait of the operation behind (explained()).
  void replay_stream_wait(const WaitingCall& call) {
    const auto streams = recorded_.recorded_on.find({trace_.streams[call.gated].process, call.event});
    if (streams == recorded_.recorded_on.end()) return;
    for (const StreamId stream : streams->second) {
      if (stream != call.gated) streams_[call.gated].gate.raise(streams_[stream].end);
    }
  }

  void replay_call(uint32_t index) {
    const RecordedCall& call = recorded_.calls[index];
    if (calls_.is_gone(index, call.row)) return;
    const WaitingCall* waiting = call.waiting == kNone ? nullptr : &recorded_.waiting[call.waiting];
    if (waiting != nullptr && waiting->gated != kNone) replay_stream_wait(*waiting);
    if (calls_.graph_of(index, call.row) != kNone) return;
    if (waiting != nullptr && calls_.waits(index)) replay_wait(call.row, *waiting);
    call_shift_[index] = shift_of(trace_.api.thread[call.row]);
  }

  void replay_wait(Row row, const WaitingCall& waiting) {
    const Moment awaited = awaited_by(row, waiting);
    if (awaited.recorded == kNever) return;
    const Calls& api = trace_.api;
    int64_t& shift = shift_of(api.thread[row]);
    const int64_t length = api.end[row] - api.start[row];
    const bool blocked = awaited.recorded > api.start[row];
    Wait& wait = waits_[waiting.awaited == Awaited::release ? 1 : 0];
    const int64_t least = blocked ? std::min(length, wait.shortest) : length;
    // A call that is as short as others are without a wait shows how late it woke at the most.
    int64_t delay = wait.wake_delay;
    if (blocked && length > least) delay = api.end[row] - awaited.recorded;
    if (blocked && length <= least) delay = std::min(delay, api.end[row] - awaited.recorded);
    wait.wake_delay = std::max<int64_t>(delay, 0);
    const int64_t end = std::max(api.start[row] - shift + least, awaited.replayed + delay);
    // Without a wait in either, nothing moves.
    if (!blocked && awaited.replayed + delay <= api.end[row] - shift) return;
    keep_time(api.thread[row], api.start[row], shift);
    shift = api.end[row] - end;
    keep_time(api.thread[row], api.end[row], shift);
  }

  /// The end of what a call waits for; none where it does not wait.
  [[nodiscard]] Moment awaited_by(Row row, const WaitingCall& waiting) const {
    const int64_t returned = trace_.api.end[row];
    const uint32_t group = recorded_.group_of_call(row);
    switch (waiting.awaited) {
      case Awaited::nothing: return {};
      case Awaited::operation: return {recorded_.operations[waiting.operation].end, ends_[waiting.operation]};
      case Awaited::event: return last_ended(group, returned, &EndedOperation::for_host_ns);
      case Awaited::stream: {
        const Moment& end = streams_[waiting.stream].for_host;
        return end.recorded <= returned ? end : Moment{};
      }
      case Awaited::device:
        return awaited_of_device(group, [&](const Moment& end) { return end.recorded <= returned; });
      case Awaited::release: {
        // Not every driver waits in every release: one that returns before what runs has not.
        const Moment all = awaited_of_device(group, [](const Moment&) { return true; });
        return all.recorded <= returned ? all : Moment{};
      }
    }
    return {};
  }

  /// The last of the streams that a group of threads uses.
  template <typename Counts>
  [[nodiscard]] Moment awaited_of_device(uint32_t group, const Counts& counts) const {
    Moment all;
    for (StreamId stream = 0; stream < streams_.size(); ++stream) {
      if (group_of(stream) == group && counts(streams_[stream].for_host)) all.raise(streams_[stream].for_host);
    }
    return all;
  }

  struct Stream {
    Moment end;               ///< for what comes on the stream
    Moment for_host;          ///< for calls, also of copies made ahead
    Row last_launch = kNone;  ///< of the operation that ended last
    Moment gate;              ///< what of other streams its next operation waits for
  };

  /// What calls of one sort that wait take beside the wait.
  struct Wait {
    int64_t shortest;        ///< of these calls
    int64_t wake_delay = 0;  ///< from the end of what was waited for, last time
  };

  const Trace& trace_;
  const RecordedExtent& recorded_;
  const Change& change_;
  ChangedOperations operations_;
  ChangedCalls calls_;
  std::vector<Meeting> meetings_;
  size_t first_start_;                           ///< the operation from which on starts are kept: all if times() asks
  Longs starts_;                                 ///< as replayed
  Longs ends_;                                   ///< of each operation, as replayed
  Longs shift_;                                  ///< by group; the last for threads without one
  Longs call_shift_;                             ///< as each of RecordedExtent::calls returned
  Longs graph_shift_;                            ///< by cut: its thread's shift when the graph is launched
  std::vector<std::vector<ReplayedTime>> host_;  ///< by group; empty unless times() asks
  std::vector<Group> groups_;
  std::vector<Stream> streams_;
  std::map<uint32_t, Moment> engines_;
  std::vector<EndedOperations> ended_;  ///< by group; the last for streams without one
  std::array<Wait, 2> waits_;           ///< synchronization and blocking copies; releases
};

/// Where clocks differ, who waited for whom is not known: none.
Collectives unmatched(const Collectives& collectives) {
  Collectives none;
  none.of_kernel.assign(collectives.of_kernel.size(), kNone);
  return none;
}

RecordedExtent recorded_extent(const Trace& trace, const Gpus& gpus, const Collectives& collectives,
                               const std::vector<ApiKind>& api_kinds, Span extent) {
  const bool one_clock = std::ranges::all_of(collectives.all, &MatchedCollective::one_clock);
  return {trace, gpus, one_clock ? collectives : unmatched(collectives), api_kinds, extent};
}

}  // namespace

Replays::Replays(const Trace& trace, const Gpus& gpus, const Collectives& collectives,
                 const std::vector<ApiKind>& api_kinds, Span extent)
    : recorded_(std::make_shared<const RecordedExtent>(recorded_extent(trace, gpus, collectives, api_kinds, extent))) {}

int64_t Replays::end_ns(const Change& change) const { return Replay(*recorded_, change).end_ns(); }

ReplayedRun Replays::run(const Change& change) const { return Replay(*recorded_, change).times(); }

}  // namespace sonde
