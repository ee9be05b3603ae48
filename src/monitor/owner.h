#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "device/reading.h"

namespace sonde::monitor {

/// Owner of a process on a GPU. Values that /proc does not provide are empty or absent.
struct ProcessOwner {
  bool alive = false;                 ///< false: the GPU lists a process that no longer exists; its memory is leaked
  std::string user;                   ///< by name where the host knows it, else its number
  std::string command;                ///< command line, words that look like secrets left out (base/privacy.h)
  std::string container;              ///< id, first 12 digits, by its cgroup: docker, containerd, CRI-O, podman
  std::string pod;                    ///< UID of the Kubernetes pod
  std::string unit;                   ///< systemd unit, Slurm job ("slurm:123")
  std::optional<int64_t> started_ns;  ///< since 1970
};

struct OwnedProcess {
  device::GpuProcess process;
  ProcessOwner owner;
};

/// Reads /proc; `root` stands for it in tests. Thread-safe. Answers are kept for a process as long as it lives.
class ProcessOwners {
 public:
  [[nodiscard]] static std::unique_ptr<ProcessOwners> of_proc(const std::string& root = "/proc");
  virtual ~ProcessOwners() = default;
  [[nodiscard]] virtual ProcessOwner owner(int64_t pid) = 0;
  /// Whether all processes of the host can be seen: only then is one that /proc does not have no more.
  [[nodiscard]] virtual bool sees_all() const { return false; }
};

/// A process of a GPU with its owner. One on a simulated GPU lives there, and is not looked for on this host.
[[nodiscard]] OwnedProcess owned_process(const device::GpuProcess& process, bool simulated, ProcessOwners* owners);

}  // namespace sonde::monitor
