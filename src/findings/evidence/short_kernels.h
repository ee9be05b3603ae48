#pragma once

#include <vector>

#include "analyses/replay/replay.h"
#include "findings/evidence/stream_breaks.h"
#include "findings/facts.h"

namespace sonde {

/// Kernels that follow each other on one stream, by row.
struct KernelRun {
  std::vector<Row> kernels;
  [[nodiscard]] int64_t start(const Kernels& k) const { return k.start[kernels.front()]; }
  [[nodiscard]] int64_t end(const Kernels& k) const { return k.end[kernels.back()]; }
};

/// Which kernels are short, and which of them one kernel could do.
class ShortKernels {
 public:
  explicit ShortKernels(const Facts& facts);

  /// Launched by a call, and no longer than putting the next one on the stream takes.
  [[nodiscard]] bool is_short(Row row) const;
  /// Whether a short kernel comes right behind another of its stream: launched by the same thread with the next call
  /// that puts work on a GPU or waits for it, and no other operation between them on the stream.
  [[nodiscard]] bool follows(Row before, Row row) const;

 private:
  const Facts& facts_;
  StreamBreaks breaks_;
  Longs number_;  ///< of each row of `api` that puts work on a GPU or waits for it, counted in its thread
};

/// The program in which each run is one launch, and one kernel that takes as long as the work of all of them: their
/// durations less what each takes for nothing, and once that again.
[[nodiscard]] Change fused(const Trace& trace, const std::vector<KernelRun>& runs);

}  // namespace sonde
