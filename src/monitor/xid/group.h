#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "monitor/xid/catalogue.h"

namespace sonde::monitor {

/// XIDs of one GPU within seconds of one another: one trouble, told by its cause.
struct XidGroup {
  std::vector<int64_t> codes;  ///< each once: the cause first, then as they came
  int64_t first_ns = 0;
  int64_t last_ns = 0;             ///< of its last XID
  int64_t cause_last_ns = 0;       ///< of the last XID that was the cause
  int64_t times = 0;               ///< that the cause was reported
  int64_t new_times = 0;           ///< the same, in this round
  std::vector<int64_t> pids = {};  ///< that were on the GPU at the last XID; empty where that is not known
  bool pids_known = false;
  int64_t recovery_action = 0;  ///< that the GPU named since, by NVML's numbers; 0 for none

  [[nodiscard]] int64_t cause() const { return codes.front(); }
};

/// XIDs that follow each other within this time belong together: what a driver reports of one fault comes within a
/// second or two, and polls of a second lie between.
inline constexpr int64_t kXidWindowNs = 5'000'000'000;

/// Puts an XID into the group where it belongs, or begins a new one. `groups`: of its GPU.
XidGroup& add_xid(std::vector<XidGroup>& groups, int64_t code, int64_t moment_ns);

/// The action for all of them together: of the cause, of an error that has its row remapped too, and of the recovery
/// action that the GPU names, the strongest.
[[nodiscard]] XidBucket bucket_of(const XidGroup& group);
[[nodiscard]] Severity severity_of(const XidGroup& group);

}  // namespace sonde::monitor
