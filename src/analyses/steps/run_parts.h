#pragma once

#include <optional>
#include <vector>

#include "analyses/steps/warm_up.h"

namespace sonde {

/// A part of a run that is judged on its own.
struct JudgedPart {
  Span extent;                  ///< of the steps after the warm-up; without steps of GPU work
  std::optional<WarmUp> steps;  ///< absent where nothing repeats
};

/// A run by what its GPUs did.
struct RunParts {
  Span run;  ///< run_extent()
  Span gpu;  ///< gpu_extent(); the run where there is no GPU work
  /// At least one. The first is the run's loop (LoopFinder), or all GPU work where there is none. The others are before
  /// and after it, in order: loops that are a large part of the run, and what else has much of its GPU work.
  std::vector<JudgedPart> parts;
  [[nodiscard]] int64_t run_ns() const { return run.second - run.first; }
  [[nodiscard]] int64_t set_up_ns() const { return gpu.first - run.first; }   ///< before the first GPU work
  [[nodiscard]] int64_t after_ns() const { return run.second - gpu.second; }  ///< after the last
  /// From the first GPU work to the last, less the parts.
  [[nodiscard]] int64_t other_ns() const;
};

[[nodiscard]] RunParts parts_of_run(const Trace& trace);

}  // namespace sonde
