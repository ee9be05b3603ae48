#pragma once

#include <vector>

#include "findings/facts.h"

namespace sonde {

/// Large copies to a GPU, kernels, and large copies back to the host, one after the other on one stream: an iteration
/// of a program that moves its data forth and back.
struct CopyTrip {
  uint32_t gpu = 0;
  std::vector<Row> up = {};    ///< rows of `copies`, to the GPU
  std::vector<Row> down = {};  ///< to the host
  int64_t kernel_ns = 0;       ///< kernels and graphs between the first copy and the next trip
  bool in_turn = true;         ///< one stream, one thread, begun when the trip before was over
  int64_t up_ns = 0;           ///< durations
  int64_t down_ns = 0;
  int64_t up_bytes = 0;
  int64_t down_bytes = 0;
};

/// Trips of one kind: the same GPU, the same sizes in both directions, and less time in kernels than in copies.
struct CopyLoop {
  std::vector<CopyTrip> trips;  ///< by time
  bool same_sizes = false;      ///< what goes to the GPU has the sizes of what comes back
  /// Median over the trips of the host's time from the last call of one to the first call of the next.
  int64_t host_gap_ns = 0;
};

/// Loops of several judged trips. Smaller copies than `min_bytes` (flags, scalars) are left out, and so are loops in
/// which the host loads data between two trips, or of which little comes back: those have new input each time.
[[nodiscard]] std::vector<CopyLoop> copy_loops(const Facts& facts);

/// For docs/profiles/findings.md.
[[nodiscard]] std::string copy_loops_in_words();

}  // namespace sonde
