#pragma once

#include <chrono>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "device/reading.h"

/// GPUs as they say of themselves: one interface, two sources (NVML, simulated).
namespace sonde::device {

enum class FailureKind {
  lost,            ///< fallen off the bus: only a reset or a reboot brings it back
  reset_required,  ///< answers, but computes no more until it is reset
  not_answering,   ///< a call has not come back
  refused,         ///< this user or container may not ask
  library_gone,    ///< the driver was unloaded or replaced below the program: open the source again
  other
};
/// "lost", "reset_required", ...: as JSON has it.
[[nodiscard]] std::string_view failure_name(FailureKind kind);

/// Why a GPU as a whole cannot be read.
struct GpuFailure {
  FailureKind kind = FailureKind::other;
  std::string message;  ///< what happened and what to do, in one sentence
};

enum class EventKind { xid, single_bit_ecc, double_bit_ecc, recovery_action, gpu_unavailable, memory_retired, other };

/// Something that a GPU reported by itself.
struct GpuEvent {
  size_t gpu = 0;
  EventKind kind = EventKind::other;
  int64_t code = 0;                     ///< the XID for `xid`, NVML's bit of the event for the others
  int64_t moment_ns = 0;                ///< nanoseconds since 1970
  std::optional<int64_t> gpu_instance;  ///< of MIG, where it concerns one
};

struct SourceInfo {
  std::string_view source;  ///< "nvml" or "simulated"
  std::string driver_version;
  std::string library_version;
  std::string cuda_version;  ///< the newest that the driver runs: "13.1"
  bool simulated = false;
};

/// GPUs in the order of their PCI bus ids, as nvidia-smi numbers them.
///
/// Calls block, and a broken GPU can block one for ever, which no caller can undo: ask each GPU from a thread of its
/// own (ParallelReader does). Calls for different GPUs never wait for one another.
class DeviceSource {
 public:
  virtual ~DeviceSource() = default;
  [[nodiscard]] virtual const SourceInfo& info() const = 0;
  [[nodiscard]] virtual size_t gpu_count() const = 0;
  /// Reads the groups into `reading` and leaves the others as they are. What the GPU does not give becomes absent; the
  /// failing side is for a GPU that cannot be read at all.
  [[nodiscard]] virtual std::expected<void, GpuFailure> read(size_t gpu, ValueGroups groups, GpuReading& reading) = 0;
  /// From now on wait_for_events() returns the events of this GPU.
  [[nodiscard]] virtual std::expected<void, GpuFailure> subscribe(size_t gpu) = 0;
  /// Events of all subscribed GPUs; none where the time passed without one. For one thread.
  [[nodiscard]] virtual std::expected<std::vector<GpuEvent>, GpuFailure> wait_for_events(
      std::chrono::milliseconds timeout) = 0;
};

/// The GPUs of this host by NVIDIA's management library: `path`, else SONDE_NVML, else libnvidia-ml.so.1. Can block as
/// reading can. The library stays loaded: a call that never came back may still be in it.
[[nodiscard]] Result<std::shared_ptr<DeviceSource>> open_nvml(const std::string& path = {});

}  // namespace sonde::device
