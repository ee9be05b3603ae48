#include "analyses/timeline/slice_category.h"

#include <array>

namespace sonde {

std::string_view name_of(SliceCategory category) {
  static constexpr std::array kNames = {
#define SONDE_SLICE_CATEGORY(name) std::string_view(#name),
#include "analyses/timeline/slice_categories.inc"
#undef SONDE_SLICE_CATEGORY
  };
  return kNames.at(static_cast<size_t>(category));
}

SliceCategory category_of(KernelClass kind, CommunicationKind communication) {
  if (communication != CommunicationKind::none) return SliceCategory::communication;
  switch (kind) {
    case KernelClass::attention: return SliceCategory::attention;
    case KernelClass::softmax: return SliceCategory::softmax;
    case KernelClass::matrix_vector:
    case KernelClass::matrix_tensor:
    case KernelClass::matrix_float32:
    case KernelClass::matrix: return SliceCategory::matrix;
    case KernelClass::elementwise: return SliceCategory::elementwise;
    case KernelClass::other: return SliceCategory::kernel;
  }
  return SliceCategory::kernel;
}

SliceCategory category_of_kernel(std::string_view name) {
  return category_of(kernel_class(name), communication_kind(name));
}

SliceCategory category_of(CopyKind kind) {
  switch (kind) {
    case CopyKind::host_to_device:
    case CopyKind::host_to_array:
    case CopyKind::unified_host_to_device: return SliceCategory::copy_h2d;
    case CopyKind::device_to_host:
    case CopyKind::array_to_host:
    case CopyKind::unified_device_to_host: return SliceCategory::copy_d2h;
    case CopyKind::device_to_device:
    case CopyKind::array_to_array:
    case CopyKind::array_to_device:
    case CopyKind::device_to_array: return SliceCategory::copy_d2d;
    case CopyKind::peer_to_peer:
    case CopyKind::unified_device_to_device: return SliceCategory::copy_p2p;
    default: return SliceCategory::copy;
  }
}

}  // namespace sonde
