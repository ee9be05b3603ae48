#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "monitor/detector.h"

namespace sonde::monitor {

/// NVIDIA's resolution buckets: the immediate action. The last three are made of several XIDs or of a recovery action.
enum class XidBucket {
  ignore,
  restart_app,
  workflow_45,
  update_swfw,
  check_uvm,
  contact_support,
  nvlink5,
  recovery,
  restart_vm,
  check_mechanicals,
  nvlink,
  workflow_48,
  reset_gpu,
  restart_bm,
  drain_p2p,
  drain_and_reset
};
[[nodiscard]] std::string_view bucket_name(XidBucket bucket);  ///< "restart_app": behind "xid_" in texts
/// As NVIDIA writes it: "RESTART_APP", "WORKFLOW_XID_48".
[[nodiscard]] std::string_view nvidia_bucket_name(XidBucket bucket);
/// The incident stays open until the GPU is reset or the driver is reloaded.
[[nodiscard]] bool needs_reset(XidBucket bucket);

/// Which of several XIDs within seconds is the cause, the first in this order.
enum class XidRole {
  end,      ///< the GPU is gone; all else is because of that
  cause,    ///< stands for itself
  either,   ///< follows an error that is reported too, or stands for itself
  follower  ///< says what became of another one
};

struct Xid {
  int64_t code = 0;
  XidBucket bucket = XidBucket::contact_support;
  Severity severity = Severity::warning;
  XidRole role = XidRole::cause;
};

[[nodiscard]] std::span<const Xid> xids();
/// A code that the catalogue does not have is a cause for support.
[[nodiscard]] Xid find_xid(int64_t code);
/// What it means, as the end of "XID 13: ..."
[[nodiscard]] std::string_view xid_meaning(int64_t code);

}  // namespace sonde::monitor
