#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyses/steps/launched_work.h"
#include "analyses/steps/range_turns.h"

namespace sonde {

/// A loop of a program, by the thread that runs it.
struct Loop {
  std::string label;        ///< the range's name; "12 launches from KERNEL" where launches repeat without a range
  ThreadId thread = kNone;  ///< of the range or the launches
  bool by_range = false;
  std::vector<Span> turns;  ///< host time of each; what the host launches in it is the turn's work
  [[nodiscard]] Span span() const { return {turns.front().first, turns.back().second}; }
};

/// Finds loops by the work that they put on GPUs.
class LoopFinder {
 public:
  explicit LoopFinder(const Trace& trace);

  /// The loop of a window of time that has most of its GPU work, which is a large part of it: a range that its name
  /// says to be a step, else another range of a thread that launches, else launches that repeat, else a range of
  /// another thread or of a library. Of a range's turns most of the work that its process launches meanwhile must be
  /// inside. With `rank` only that rank is looked at. Absent where nothing repeats 5 times.
  [[nodiscard]] std::optional<Loop> find(const Span& window, RankId rank = kNone) const;
  /// Of one rank the loop that another of its kind is like.
  [[nodiscard]] std::optional<Loop> find_like(const Span& window, const Loop& other, RankId rank) const;
  [[nodiscard]] const Launches& launches() const { return launches_; }

 private:
  enum class Choice : uint8_t { step, program, launches, other, none };
  struct Candidate {
    Choice choice = Choice::none;
    int64_t gpu_ns = 0;   ///< of all work launched within turns
    int64_t host_ns = 0;  ///< within turns
    Loop loop;
  };
  [[nodiscard]] std::optional<Candidate> judged(const RangeTurns& range, const Span& window) const;
  [[nodiscard]] std::optional<Loop> repeated_launches(const Span& window, RankId rank) const;
  [[nodiscard]] bool is_large(ThreadId thread, const Span& loop, const Span& window) const;
  [[nodiscard]] bool is_of(RankId rank, ThreadId thread) const;
  /// Whether one module of the model holds nearly all turns: they are its layers.
  [[nodiscard]] bool are_layers(const Loop& loop) const;

  const Trace& trace_;
  Launches launches_;
  std::vector<RangeTurns> ranges_;
  bool has_launches_ = false;
};

/// The time of each turn on the GPUs if the host runs far ahead of them, from the first operation launched in it to the
/// first of the next one, else the turns as they are.
[[nodiscard]] std::vector<Span> times_of_turns(const Launches& launches, const Loop& loop);

}  // namespace sonde
