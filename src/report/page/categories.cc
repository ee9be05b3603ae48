#include "report/page/categories.h"

namespace sonde {

std::string_view kernel_category(KernelClass kind, CommunicationKind communication) {
  if (communication != CommunicationKind::none) return "communication";
  switch (kind) {
    case KernelClass::attention: return "attention";
    case KernelClass::softmax: return "softmax";
    case KernelClass::matrix_vector:
    case KernelClass::matrix_tensor:
    case KernelClass::matrix_float32:
    case KernelClass::matrix: return "matrix";
    case KernelClass::elementwise: return "elementwise";
    case KernelClass::other: break;
  }
  return "kernel";
}

std::string_view kernel_category(std::string_view name) {
  return kernel_category(kernel_class(name), communication_kind(name));
}

std::string_view copy_category(uint8_t kind) {
  switch (static_cast<CopyKind>(kind)) {
    case CopyKind::host_to_device:
    case CopyKind::host_to_array:
    case CopyKind::unified_host_to_device: return "copy_h2d";
    case CopyKind::device_to_host:
    case CopyKind::array_to_host:
    case CopyKind::unified_device_to_host: return "copy_d2h";
    case CopyKind::device_to_device:
    case CopyKind::array_to_array:
    case CopyKind::array_to_device:
    case CopyKind::device_to_array: return "copy_d2d";
    case CopyKind::peer_to_peer:
    case CopyKind::unified_device_to_device: return "copy_p2p";
    default: return "copy";
  }
}

}  // namespace sonde
