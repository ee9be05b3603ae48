#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analyses/gpus/gpu_shares.h"
#include "analyses/gpus/idle_time.h"
#include "trace/trace.h"

namespace sonde {

/// What host threads launched, what it took of the GPUs, and for how long GPUs waited for it.
struct LaunchedWork {
  int64_t idle_ns = 0;    ///< GPUs did nothing while the thread that launched their next work was here
  int64_t device_ns = 0;  ///< share of GPU time (share_gpu_time()): parts sum exactly to the whole
  int64_t launches = 0;   ///< API calls that put operations on a GPU
  int64_t kernels = 0;    ///< those that a graph launch replayed among them, where they were traced one by one
  int64_t graphs = 0;     ///< graph launches that were traced as a whole
  int64_t sets = 0;
  int64_t copies = 0;
  int64_t copy_bytes = 0;

  LaunchedWork& operator+=(const LaunchedWork& other);
};

/// All ranges of one name in one place of the tree.
struct Module {
  std::string name;  ///< numbers in it are written '#' where ranges differ only by them
  DomainId domain = kNoDomain;
  uint32_t parent = kNone;  ///< kNone at the top
  uint32_t depth = 0;
  int64_t calls = 0;
  int64_t open_calls = 0;    ///< of them those that were open when the recording ended: their host time is not known
  int64_t host_ns = 0;       ///< sum of durations, as the threads saw them
  int64_t host_self_ns = 0;  ///< less that of the modules inside
  LaunchedWork self;         ///< launched in it and in no module inside it
  LaunchedWork total;        ///< with all modules inside
};

/// Which ranges are modules.
struct ModuleChoice {
  std::function<bool(Row range)> chosen;  ///< ranges for which this is false are looked through; empty: all but
                                          ///< Python's call stacks
  uint32_t depth = kNone;                 ///< modules below this many levels count as part of the last one shown
  bool exact_names = false;               ///< ranges whose names differ by a number are different modules
};

/// The modules of a run and what each took. A parent comes before its children.
struct ModuleTree {
  std::vector<Module> modules;
  GpuShares shares;      ///< what each operation took of its GPU's time
  LaunchedWork outside;  ///< what no module launched
  LaunchedWork whole;    ///< everything: outside and all self together; its device_ns is the busy time of all GPUs
  Ids of_range;          ///< the module of each row of `ranges`, or that it lies in; kNone outside any
  Codes is_call;         ///< 1 for each row of `ranges` that is one of its module's calls, and not in one
  Ids of_call;           ///< the module that each row of `api` lies in
};

/// What a module tree reads.
inline constexpr Fields kModuleFields = kIdleFields | Fields{Field::range_details, Field::syncs, Field::allocations};

/// Push/pop ranges of all domains as they lie in one another on their thread. A backward operator takes the place of
/// its forward operator. An operation belongs to the innermost range around the call that launched it.
[[nodiscard]] ModuleTree module_tree(const Trace& trace, const ModuleChoice& choice);

}  // namespace sonde
