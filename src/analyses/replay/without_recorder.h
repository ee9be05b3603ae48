#pragma once

#include <optional>
#include <vector>

#include "analyses/replay/replay.h"
#include "trace/trace.h"

namespace sonde {

/// A run's step with its recorder and without, in nanoseconds. A step of the run's loop, or all GPU work where there is
/// none: from the start of the first operation launched in the steps to the end of the last, by their number.
struct RecordedStep {
  size_t steps = 0;  ///< 0: no loop was found
  int64_t recorded_ns = 0;
  int64_t busy_ns = 0;     ///< in which at least one GPU works on them
  int64_t without_ns = 0;  ///< as the recorder's cost is most likely
  int64_t low_ns = 0;      ///< with the most that the recorder may have cost
  int64_t high_ns = 0;     ///< with the least
  bool given = false;      ///< the cost was set so that the step takes the time that the caller knows
};

/// Recorded times of a trace whose times were changed.
class RecordedTimes {
 public:
  struct Pair {
    int64_t now;
    int64_t recorded;
  };
  RecordedTimes() = default;
  /// Times at which something happens on GPUs and on the host.
  explicit RecordedTimes(std::vector<Pair> pairs);
  /// When it was recorded: exact for the begin and the end of an event, else between those around it.
  [[nodiscard]] int64_t at(int64_t now) const;

 private:
  std::vector<Pair> pairs_;  ///< by `now`
};

inline constexpr Fields kRecorderFields = kReplayFields | Fields{Field::ranges, Field::range_links};

/// What take_out_recorder() did.
struct WithoutRecorder {
  RecordedStep step;
  RecordedTimes recorded;
};

/// Absent where the recorder's cost is not known or the trace has no GPU work. The trace must be linked, with the
/// fields kRecorderFields. `true_step_ns` is the time of a step as measured without a recorder: the cost is then set to
/// match it.
[[nodiscard]] std::optional<RecordedStep> step_without_recorder(const Trace& trace,
                                                                std::optional<int64_t> true_step_ns = std::nullopt);

/// Moves all events to when they would be without what recording cost (replay.h): the host gets its time back, and the
/// GPU's work starts earlier where it waited for the host. Work takes as long as recorded, so a step never takes less
/// than the GPU is busy. Where step_without_recorder() has nothing, nothing moves.
[[nodiscard]] std::optional<WithoutRecorder> take_out_recorder(Trace& trace,
                                                               std::optional<int64_t> true_step_ns = std::nullopt);

}  // namespace sonde
