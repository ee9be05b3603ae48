#pragma once

#include <memory>
#include <vector>

#include "monitor/detector.h"

namespace sonde::monitor {

/// One GPU in one round.
struct GpuLook {
  const Round& round;
  const GpuSample& sample;
  /// What it said in this round. Null where it did not answer: what holds then is not known, and a detector stays with
  /// what it said before.
  const device::GpuReading* reading = nullptr;
};

[[nodiscard]] GpuLook look_at(const Round& round, const GpuSample& sample);

/// A detector that looks at each GPU alone. `Kept` is what it keeps of a GPU; that begins anew with the driver, since
/// counters do.
template <typename Kept, void (*kLook)(const GpuLook&, Kept&, std::vector<Observation>&)>
class EachGpu final : public Detector {
 public:
  void look(const Round& round, std::vector<Observation>& found) override {
    if (round.source_reopened || kept_.size() != round.samples.size()) {
      kept_.clear();
      kept_.resize(round.samples.size());
    }
    for (size_t i = 0; i < kept_.size(); ++i) kLook(look_at(round, round.samples[i]), kept_[i], found);
  }

 private:
  std::vector<Kept> kept_;
};

template <typename Kept, void (*kLook)(const GpuLook&, Kept&, std::vector<Observation>&)>
[[nodiscard]] std::unique_ptr<Detector> each_gpu() {
  return std::make_unique<EachGpu<Kept, kLook>>();
}

/// For detectors that keep nothing.
struct Nothing {};

}  // namespace sonde::monitor
