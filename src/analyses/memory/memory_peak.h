#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "analyses/memory/memory_phase.h"
#include "trace/trace.h"

/// What holds device memory when most of it is in use.
namespace sonde {

/// What memory is for, by when it was allocated and released. Everything else is unknown: a parameter looks like any
/// memory that is allocated once and kept.
enum class MemoryRole : uint8_t {
  unknown,
  earlier,          ///< allocated before the recording began
  activation,       ///< allocated in the forward pass, released in the backward pass
  gradient,         ///< allocated in the backward pass, and kept beyond it
  optimizer_state,  ///< allocated by an optimizer's step, and not released in it
  temporary,        ///< released in the phase that it was allocated in
};

[[nodiscard]] std::string_view name_of(MemoryRole role);

/// Memory of one role from one place of the program.
struct HeldMemory {
  MemoryRole role = MemoryRole::unknown;
  std::string module;  ///< empty outside any range
  std::string op;      ///< innermost operator, or the driver's call; empty where neither is known
  std::string stack;   ///< functions of the program, the innermost first; empty where none were recorded
  std::string place;   ///< `module`, else the program's innermost function with its line, else `op`; may be empty
  int64_t bytes = 0;
  int64_t allocations = 0;
  int64_t largest_bytes = 0;
  bool operator<(const HeldMemory& other) const {
    return std::tie(role, module, op, stack) < std::tie(other.role, other.module, other.op, other.stack);
  }
};

/// A GPU's memory at its peak: the first moment with the most bytes allocated.
struct MemoryAtPeak {
  RankId rank = 0;
  int32_t ordinal = -1;
  std::string gpu;                           ///< "GPU 0", "rank 1 GPU 0"
  int64_t time_ns = kUnknown;                ///< kUnknown where the most was in use before the first event
  MemoryPhase phase = MemoryPhase::unknown;  ///< of the allocation that made it the peak
  int64_t bytes = 0;
  int64_t reserved_bytes = kUnknown;       ///< by PyTorch's allocator then, in use or not
  int64_t peak_reserved_bytes = kUnknown;  ///< the most that it reserved at any time
  int64_t capacity_bytes = kUnknown;       ///< of the GPU
  std::vector<HeldMemory> held;            ///< all of `bytes`, the largest first

  /// Reserved and not in use then; kUnknown where that was not recorded.
  [[nodiscard]] int64_t unused_bytes() const {
    return reserved_bytes == kUnknown ? kUnknown : std::max<int64_t>(reserved_bytes - bytes, 0);
  }
};

/// What memory_at_peaks() reads; stacks only with those of kMemoryStackFields.
inline constexpr Fields kMemoryPeakFields =
    kGpuWork | Fields{Field::streams, Field::allocations, Field::ranges, Field::range_links};
inline constexpr Fields kMemoryStackFields =
    kMemoryPeakFields | Fields{Field::api, Field::launches, Field::library_calls, Field::call_chains};

/// One for each GPU. Where allocations have no addresses, no release can be matched: all is of unknown use.
[[nodiscard]] std::vector<MemoryAtPeak> memory_at_peaks(const Trace& trace);

/// What is held, by role and place alone, the largest first.
[[nodiscard]] std::vector<HeldMemory> held_by_place(const MemoryAtPeak& peak);
[[nodiscard]] int64_t bytes_of_role(const MemoryAtPeak& peak, MemoryRole role);

}  // namespace sonde
