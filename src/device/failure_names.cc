#include "device/device.h"

namespace sonde::device {

std::string_view failure_name(FailureKind kind) {
  switch (kind) {
    case FailureKind::lost: return "lost";
    case FailureKind::reset_required: return "reset_required";
    case FailureKind::not_answering: return "not_answering";
    case FailureKind::refused: return "refused";
    case FailureKind::library_gone: return "library_gone";
    case FailureKind::other: return "other";
  }
  return "other";
}

std::string_view event_name(EventKind kind) {
  switch (kind) {
    case EventKind::xid: return "xid";
    case EventKind::single_bit_ecc: return "single_bit_ecc";
    case EventKind::double_bit_ecc: return "double_bit_ecc";
    case EventKind::recovery_action: return "recovery_action";
    case EventKind::gpu_unavailable: return "gpu_unavailable";
    case EventKind::memory_retired: return "memory_retired";
    case EventKind::other: return "other";
  }
  return "other";
}

}  // namespace sonde::device
