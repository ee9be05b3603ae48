#pragma once

#include <cstdint>
#include <string_view>

#include "record/rounds/rounds.h"

namespace sonde::record {

/// What the program gets at a recording's end.
struct EndSignal {
  int number = 0;  ///< 0: none
  std::string_view because = {};
};

/// When rounds begin and end: by time, by the program, or by command. One collection after the other.
class Collection {
 public:
  explicit Collection(Rounds& rounds) : rounds_(rounds) {}

  void start(const RoundOptions& options, int64_t now_ns);
  void stop();
  /// As if it had not been.
  void cancel();
  /// Begins and ends what is due. `first_cuda_ns`: when the program initialized CUDA, 0 where it has not. Gives the
  /// signal that the program gets now.
  [[nodiscard]] EndSignal step(int64_t now_ns, int64_t first_cuda_ns);
  /// The program has ended: what has not begun yet by time begins now.
  void complete();

  [[nodiscard]] bool active() const { return active_; }
  /// Whether the collection was the last one, as its capture range says.
  [[nodiscard]] bool closed() const { return closed_; }
  [[nodiscard]] const RoundOptions& options() const { return options_; }
  /// "recording", "waiting" for the delay or the program, or "idle".
  [[nodiscard]] std::string_view state() const;

 private:
  [[nodiscard]] bool by_time() const { return options_.capture.trigger == wire::Trigger::none; }
  [[nodiscard]] bool all_ranges_over() const;
  [[nodiscard]] bool is_duration_over(int64_t now_ns, int64_t begin_ns, int64_t first_cuda_ns) const;

  Rounds& rounds_;
  RoundOptions options_;
  int64_t begin_at_ns_ = 0;
  bool active_ = false;
  bool closed_ = false;
};

}  // namespace sonde::record
