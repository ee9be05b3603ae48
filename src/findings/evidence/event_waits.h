#pragma once

#include <map>
#include <vector>

#include "findings/facts.h"

namespace sonde {

/// Waits of streams for events (cudaStreamWaitEvent), by what calls say.
class EventWaits {
 public:
  explicit EventWaits(const Trace& trace);

  struct Wait {
    int64_t called = 0;        ///< when the call was made
    StreamId awaited = kNone;  ///< the stream that the event was last recorded on by then; kNone where not known
  };
  /// What was to be waited for on a stream by calls in [from, to).
  [[nodiscard]] std::vector<Wait> on(StreamId stream, int64_t from, int64_t to) const;
  /// All waits of a stream, by time of the call.
  [[nodiscard]] const std::map<StreamId, std::vector<Wait>>& by_stream() const { return waits_; }

 private:
  std::map<StreamId, std::vector<Wait>> waits_;
};

}  // namespace sonde
