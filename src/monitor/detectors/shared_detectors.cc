#include <array>

#include "monitor/detectors/shared_each_gpu.h"

namespace sonde::monitor {

#define SONDE_DETECTOR(name) extern const DetectorRow name##_detector;
#include "monitor/detectors/list.inc"
#undef SONDE_DETECTOR

std::span<const DetectorRow* const> detector_rows() {
  static const std::array all = {
#define SONDE_DETECTOR(name) &name##_detector,
#include "monitor/detectors/list.inc"
#undef SONDE_DETECTOR
  };
  return all;
}

GpuLook look_at(const Round& round, const GpuSample& sample) {
  const bool answered = !sample.failure && sample.moment_ns != 0 && sample.mark.quality != Quality::stale &&
                        sample.mark.quality != Quality::absent;
  return {round, sample, answered ? &sample.reading : nullptr};
}

}  // namespace sonde::monitor
