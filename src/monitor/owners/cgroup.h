#pragma once

#include <string>
#include <string_view>

namespace sonde::monitor {

/// Whom the kernel's control groups say a process belongs to. Empty where they do not.
struct CgroupOwner {
  std::string container;  ///< first 12 digits of the id; LXC's have names. The innermost one where they nest
  std::string pod;        ///< UID, with dashes
  std::string unit;  ///< "slurm:123", else the innermost systemd unit; empty in a container, whose scope it would be
};

/// Reads /proc/PID/cgroup: lines "N:controllers:path", of both versions. Knows the paths of Docker, containerd, CRI-O
/// and podman, of Kubernetes by either cgroup driver, LXC, Slurm and systemd.
[[nodiscard]] CgroupOwner owner_by_cgroup(std::string_view text);

}  // namespace sonde::monitor
