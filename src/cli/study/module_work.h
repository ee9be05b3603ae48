#pragma once

#include <optional>
#include <vector>

#include "analyses/modules/module_tree.h"

/// What runs on GPUs for the modules of a timeline, and what of it could be better.
namespace sonde::study {

/// Times are shares of GPU time (analyses/gpu_shares.h), in nanoseconds.
struct Work {
  double kernel_ns = 0;   ///< of kernels that can be measured one by one
  int64_t kernels = 0;    ///< their launches
  double waiting_ns = 0;  ///< of kernels that wait for others elsewhere (NCCL, NVSHMEM), and cannot be run again
  double graph_ns = 0;    ///< of CUDA graphs, whose kernels are not measured
  double memory_ns = 0;   ///< of copies and sets, graphs' left out
  int64_t copied_bytes = 0;
  double headroom_ns = 0;       ///< headroom times time, of kernels whose headroom is known
  double with_headroom_ns = 0;  ///< their time

  Work& operator+=(const Work& other);
  [[nodiscard]] double all_ns() const { return kernel_ns + waiting_ns + graph_ns + memory_ns; }
  /// Share of the GPU that the launches leave unused by formula, weighed by time: warps that do not fit, blocks that
  /// are too few, last waves. Absent where no launch's is known.
  [[nodiscard]] std::optional<double> headroom() const;
  /// Time times headroom; half of the time counts for what no formula sees, and all where headroom is not known.
  [[nodiscard]] double weight() const;
};

/// What of `launches` can be measured, and its work.
[[nodiscard]] Work work_of_kernel(const Trace& trace, const ModuleTree& tree, Row kernel);

struct ModuleWork {
  std::vector<Work> self;   ///< of each module of the tree, launched in it and in no module inside it
  std::vector<Work> total;  ///< with all modules inside
  Work outside;
  Work whole;
};
[[nodiscard]] ModuleWork module_work(const Trace& trace, const ModuleTree& tree);

/// The modules of a study: push/pop ranges that its second run sees around launches, too.
[[nodiscard]] ModuleTree study_modules(const Trace& trace);
/// The module of a GPU operation's launching call; kNone outside any.
[[nodiscard]] inline uint32_t module_of(const ModuleTree& tree, Row call) {
  return call == kNone ? kNone : tree.of_call[call];
}

}  // namespace sonde::study
