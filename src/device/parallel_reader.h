#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "device/device.h"

namespace sonde::device {

/// One GPU after a read.
struct GpuState {
  GpuReading reading;  ///< of the last read that came back
  std::optional<GpuFailure> failure;
};

/// Reads all GPUs of a source at once, each on its own thread, and continues without GPUs that do not respond.
/// A thread that hangs in the driver is left alone; its GPU is asked again when the call returns. Groups are read one
/// after the other, and what came back before the call that hangs is there.
class ParallelReader {
 public:
  explicit ParallelReader(std::shared_ptr<DeviceSource> source);
  ~ParallelReader();
  ParallelReader(const ParallelReader&) = delete;
  ParallelReader& operator=(const ParallelReader&) = delete;

  /// In the order of `gpus`. A GPU that has not answered when `timeout` is over has FailureKind::not_answering.
  [[nodiscard]] std::vector<GpuState> read(std::span<const size_t> gpus, ValueGroups groups,
                                           std::chrono::milliseconds timeout);
  [[nodiscard]] size_t gpu_count() const { return workers_.size(); }

 private:
  struct Worker;
  std::vector<std::shared_ptr<Worker>> workers_;  ///< shared with threads that may outlive this object
};

}  // namespace sonde::device
