#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "device/parallel_reader.h"
#include "monitor/quality/shared_marker.h"

namespace sonde::monitor::loop {

/// What a round wants of the GPUs.
struct ReadPlan {
  device::ValueGroups groups = 0;
  std::chrono::milliseconds timeout{0};
  int64_t interval_ns = 0;
  std::function<int64_t()> now_ns;
};

/// Reads the GPUs of a source and keeps their samples, marked. Those that do not answer are asked on, with less
/// patience, so that they do not slow down the rounds of the others; those whose identity is not known yet are asked
/// for it.
class GpuReader {
 public:
  explicit GpuReader(std::shared_ptr<device::DeviceSource> source);

  void read(const ReadPlan& plan);
  [[nodiscard]] const std::vector<GpuSample>& samples() const { return samples_; }
  /// The library went away, or the failure of all GPUs says that they have to be looked for anew.
  [[nodiscard]] const device::GpuFailure* source_failure() const;

 private:
  [[nodiscard]] std::vector<size_t> chosen(const std::vector<bool>& silent, bool these, bool known) const;
  void ask(const std::vector<size_t>& gpus, bool silent, bool known, const ReadPlan& plan);
  void take(size_t gpu, device::GpuState state, const ReadPlan& plan);

  device::ParallelReader reader_;
  std::vector<GpuSample> samples_;
  std::vector<quality::Marker> markers_;
};

}  // namespace sonde::monitor::loop
