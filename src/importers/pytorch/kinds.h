#pragma once

#include <cstdint>
#include <string_view>

#include "trace/events.h"

/// What PyTorch's names for categories, copies, memory and synchronization mean, old and new, CUDA and ROCm.
namespace sonde::pytorch {

enum class Category : uint8_t {
  op,
  annotation,
  python,
  runtime,
  driver,
  kernel,
  copy,
  set,
  sync,
  cuda_event,
  overhead,
  memory,    ///< instants of PyTorch's allocator
  flow,      ///< arrows from calls to GPU work: correlation ids say the same
  fwdbwd,    ///< arrows from a forward operator to its backward one
  span,      ///< the profiler's own window
  mirrored,  ///< drawn on the GPU's rows from what other events say
  unknown,
};

[[nodiscard]] Category category_of(std::string_view name);

struct CopyShape {
  CopyKind kind = CopyKind::unknown;
  MemoryKind source = MemoryKind::absent;
  MemoryKind destination = MemoryKind::absent;
};

/// From "Memcpy HtoD (Pinned -> Device)" or "CopyHostToDevice".
[[nodiscard]] CopyShape copy_shape(std::string_view name);

/// From "Memset (Device)".
[[nodiscard]] MemoryKind set_memory(std::string_view name);

/// From "Stream Wait Event", "Event Sync", "Stream Sync", "Context Sync".
[[nodiscard]] SyncKind sync_kind(std::string_view name);

}  // namespace sonde::pytorch
