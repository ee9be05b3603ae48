#pragma once

#include <vector>

#include "analyses/replay/replay.h"
#include "base/text/text_catalogue.h"
#include "findings/evidence/stream_breaks.h"
#include "findings/facts.h"

namespace sonde {

/// The longest short kernel: launching the next one takes as long (5 us of host time an operator, and more in Python).
inline constexpr int64_t kShortKernelNs = 10'000;
/// The longest duration of a kernel without work, 1 to 2 us as CUPTI records it: the shortest kernel of a run, and no
/// more than this.
inline constexpr int64_t kMaxEmptyKernelNs = 1'700;
/// Why a rule on short kernels draws no conclusion.
inline constexpr CatalogueText kNoKernelLaunches{
    "tiny_kernels.no_launches.says",
    "the profile does not contain the calls that launched the kernels, so the saving from fewer launches is unknown"};

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

  /// Launched by a call that launches nothing else, and at most kShortKernelNs long. Kernels of one graph may depend on
  /// others of it.
  [[nodiscard]] bool is_short(Row row) const;
  /// Whether a short kernel directly follows another of its stream: launched by the same thread with the next call
  /// that puts work on a GPU or waits for it, and no other operation between them on the stream.
  [[nodiscard]] bool follows(Row before, Row row) const { return is_short(row) && directly_follows(before, row); }
  /// The same of kernels of any length.
  [[nodiscard]] bool directly_follows(Row before, Row row) const;

 private:
  const Facts& facts_;
  StreamBreaks breaks_;
  Ids number_;    ///< of each row of `api` that puts work on a GPU or waits for it, counted in its thread
  Ids launched_;  ///< how many GPU operations each row of `api` put on a GPU
};

/// The program in which each run is one launch and one kernel. The kernel takes the sum of the durations, in which the
/// time of an empty kernel counts once.
[[nodiscard]] Change fused(const Trace& trace, const std::vector<KernelRun>& runs);

}  // namespace sonde
