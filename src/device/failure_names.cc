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

}  // namespace sonde::device
