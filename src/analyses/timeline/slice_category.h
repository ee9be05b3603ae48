#pragma once

#include <cstdint>
#include <string_view>

#include "analyses/gpus/communication_kind.h"
#include "analyses/kernels/kernel_class.h"
#include "trace/events.h"

namespace sonde {

/// What a slice of the timeline, a bar or a point is.
enum class SliceCategory : uint8_t {
#define SONDE_SLICE_CATEGORY(name) name,
#include "analyses/timeline/slice_categories.inc"
#undef SONDE_SLICE_CATEGORY
};

[[nodiscard]] std::string_view name_of(SliceCategory category);

[[nodiscard]] SliceCategory category_of(KernelClass kind, CommunicationKind communication);
/// By the kernel's name alone.
[[nodiscard]] SliceCategory category_of_kernel(std::string_view name);
[[nodiscard]] SliceCategory category_of(CopyKind kind);

}  // namespace sonde
