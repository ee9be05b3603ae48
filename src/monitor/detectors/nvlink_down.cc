#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "monitor/detectors/shared_each_gpu.h"

namespace sonde::monitor {
namespace nvlink_down {
namespace {

struct KeptOfGpu {
  std::set<int64_t> seen_active;
  std::set<int64_t> down;  ///< that were active before
  size_t active = 0;
};

void remember(const std::vector<device::NvLinkReading>& links, KeptOfGpu& kept) {
  kept.down.clear();
  kept.active = 0;
  for (const device::NvLinkReading& link : links) {
    if (!link.active) continue;
    if (*link.active) {
      kept.seen_active.insert(link.link);
      ++kept.active;
    } else if (kept.seen_active.contains(link.link)) {
      kept.down.insert(link.link);
    }
  }
}

class NvLinkDown final : public Detector {
 public:
  void look(const Round& round, std::vector<Observation>& found) override {
    if (round.source_reopened || gpus_.size() != round.samples.size()) gpus_.assign(round.samples.size(), {});
    for (const GpuSample& sample : round.samples) {
      const GpuLook gpu = look_at(round, sample);
      if (gpu.reading != nullptr && gpu.reading->nvlinks) remember(*gpu.reading->nvlinks, gpus_[sample.gpu]);
    }
    for (const GpuSample& sample : round.samples) {
      add_down(sample, found);
      add_fewer(round, sample, found);
    }
  }

 private:
  void add_down(const GpuSample& sample, std::vector<Observation>& found) const {
    for (const int64_t link : gpus_[sample.gpu].down) {
      found.push_back({.gpu = sample.gpu,
                       .subject = fmt::format("link {}", link),
                       .severity = Severity::critical,
                       .text = "nvlink_down",
                       .arguments = {{"link", std::to_string(link)}, {"index", std::to_string(sample.gpu)}}});
    }
  }

  /// Links that were down before the service started show against GPUs of the same kind. Those without any have no
  /// bridge.
  void add_fewer(const Round& round, const GpuSample& sample, std::vector<Observation>& found) const {
    const KeptOfGpu& kept = gpus_[sample.gpu];
    if (kept.active == 0 || !sample.reading.name) return;
    size_t max = 0;
    for (const GpuSample& other : round.samples) {
      if (other.reading.name == sample.reading.name) max = std::max(max, gpus_[other.gpu].active);
    }
    if (kept.active + kept.down.size() >= max) return;
    found.push_back({.gpu = sample.gpu,
                     .subject = "fewer",
                     .severity = Severity::warning,
                     .text = "nvlink_fewer",
                     .arguments = {{"active", std::to_string(kept.active)},
                                   {"most", std::to_string(max)},
                                   {"index", std::to_string(sample.gpu)}}});
  }

  std::vector<KeptOfGpu> gpus_;
};

std::unique_ptr<Detector> make() { return std::make_unique<NvLinkDown>(); }

}  // namespace
}  // namespace nvlink_down

extern constinit const DetectorRow nvlink_down_detector = {
    .name = "nvlink_down",
    .description =
        "an active NVLink went down, or the GPU has fewer active NVLinks than the host's other GPUs of the same model. "
        "One incident per link",
    .clear_after_s = 60,
    .make = nvlink_down::make,
    .severity = "critical; fewer than other GPUs: warning",
    .clears = "the link is active for 1 min",
};

}  // namespace sonde::monitor
