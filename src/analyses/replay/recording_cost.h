#pragma once

#include <optional>
#include <vector>

#include "analyses/replay/replay.h"
#include "trace/trace.h"

namespace sonde {

/// The shortest time that a recorder leaves between two events of a thread, where the program does nothing: it grows
/// with what the recorder does for an event, and with how slow the thread is at that time.
class EventGaps {
 public:
  explicit EventGaps(const Trace& trace);

  [[nodiscard]] double at_ns(ThreadId thread, int64_t time_ns) const;
  /// Whether the trace told; else the gap is that of other traces.
  [[nodiscard]] bool measured() const { return measured_; }

 private:
  struct Window {
    int64_t start_ns;
    double gap_ns;
  };
  std::vector<std::vector<Window>> of_thread_;  ///< by time; empty where the thread has few events
  double usual_ns_ = 0;                         ///< of the whole trace
  bool measured_ = false;
};

/// What the recorder of a run cost the threads of the program, event by event.
class RecordingCost {
 public:
  /// PyTorch's profiler.
  explicit RecordingCost(EventGaps gaps);
  /// Sonde's recorder: what each process measured.
  explicit RecordingCost(const Trace& trace);

  /// Of a range of `kind` that begins then, begin and end together.
  [[nodiscard]] double of_range_ns(DomainKind kind, ThreadId thread, int64_t time_ns) const;
  /// Of a CUDA call that begins then.
  [[nodiscard]] double of_call_ns(ThreadId thread, int64_t time_ns) const;
  /// Whether each range of the name ProfilerStep is the recorder's own.
  [[nodiscard]] bool has_own_steps() const { return gaps_.has_value(); }
  /// The cost of one event is known within these factors.
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }

 private:
  std::optional<EventGaps> gaps_;
  std::vector<Process> of_thread_;  ///< each thread's process, where there are no gaps
  double low_ = 1;
  double high_ = 1;
};

/// What a node of a CUDA graph starts later where each is traced. CUPTI makes its own records of each then: with 133
/// nodes a step took 62 us more than without the profiler on an H100.
inline constexpr int64_t kNodeGapNs = 450;

/// Two runs of one program differ by this much, clocks and all: the times of GPU work in a recording were up to so much
/// longer or shorter than without.
inline constexpr double kRunSpread = 0.06;

/// Whether it is known what the recorder of the run costs.
[[nodiscard]] bool has_recording_cost(const Trace& trace);

/// Absent where it is not known. Needs ranges with their parents.
[[nodiscard]] std::optional<RecordingCost> recording_cost(const Trace& trace);

/// The time that the recorder spent on threads that launch work.
class RecorderCuts {
 public:
  /// `group_of` are groups_of_threads().
  RecorderCuts(const Trace& trace, const std::vector<uint32_t>& group_of, RecordingCost cost);

  /// `factor` times that time, as cuts without calls in them: of each stretch between two calls at its end. The
  /// program's own work keeps a part of every stretch.
  [[nodiscard]] std::vector<Cut> times(double factor) const;
  [[nodiscard]] const RecordingCost& cost() const { return cost_; }

 private:
  /// A thread's time between two calls of its group.
  struct Stretch {
    ThreadId thread;  ///< of the call at its end
    int64_t end_ns;
    double cost_ns;  ///< of the recorder
    double most_ns;  ///< that can be cut out
  };
  RecordingCost cost_;
  std::vector<Stretch> stretches_;  ///< by end
};

}  // namespace sonde
