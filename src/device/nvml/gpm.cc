#include "device/nvml/gpm.h"

#include <array>
#include <memory>
#include <utility>

namespace sonde::device::nvml {
namespace {

using R = GpuReading;

struct MetricOf {
  unsigned id;
  std::optional<double> R::* value;
};
constexpr auto kMetrics = std::to_array<MetricOf>({{1, &R::gpm_graphics_percent},
                                                   {2, &R::gpm_sm_percent},
                                                   {3, &R::gpm_occupancy_percent},
                                                   {4, &R::gpm_integer_percent},
                                                   {5, &R::gpm_tensor_percent},
                                                   {6, &R::gpm_dfma_percent},
                                                   {7, &R::gpm_hmma_percent},
                                                   {9, &R::gpm_imma_percent},
                                                   {10, &R::gpm_dram_percent},
                                                   {11, &R::gpm_fp64_percent},
                                                   {12, &R::gpm_fp32_percent},
                                                   {13, &R::gpm_fp16_percent},
                                                   {20, &R::gpm_pcie_tx_mib_per_s},
                                                   {21, &R::gpm_pcie_rx_mib_per_s},
                                                   {60, &R::gpm_nvlink_rx_mib_per_s},
                                                   {61, &R::gpm_nvlink_tx_mib_per_s}});

void clear(GpuReading& reading) {
  for (const MetricOf& metric : kMetrics) (reading.*metric.value).reset();
}

Return compute(const Asked& a, GpmSample before, GpmSample now) {
  const auto get = std::make_unique<GpmMetrics>();
  get->version = 1;
  get->count = kMetrics.size();
  get->first = before;
  get->second = now;
  for (size_t i = 0; i < kMetrics.size(); ++i) {
    get->metrics[i].id = kMetrics[i].id;
    get->metrics[i].status = Return::not_supported;
  }
  const Return code = call(a.library.gpm_metrics_get, get.get());
  for (size_t i = 0; code == Return::success && i < kMetrics.size(); ++i) {
    if (get->metrics[i].status == Return::success) a.reading.*kMetrics[i].value = get->metrics[i].value;
  }
  return code;
}

}  // namespace

Gpm::~Gpm() {
  if (before_ != nullptr) free_(before_);
  if (now_ != nullptr) free_(now_);
}

Return Gpm::sample(const Asked& a) {
  GpmSupport support{.version = 1, .supported = 0};
  const Return code = call(a.library.gpm_support, a.device, &support);
  if (code != Return::success) return code;
  if (support.supported == 0 || a.library.gpm_sample_free == nullptr) return Return::not_supported;
  free_ = a.library.gpm_sample_free;
  for (GpmSample* sample : {&before_, &now_}) {
    if (*sample != nullptr) continue;
    const Return made = call(a.library.gpm_sample_alloc, sample);
    if (made != Return::success) return made;
  }
  return call(a.library.gpm_sample_get, a.device, now_);
}

Return Gpm::read(const Asked& a) {
  clear(a.reading);
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return Return::in_use;
  const Return taken = sample(a);
  if (taken != Return::success) return taken;
  const Return code = has_before_ ? compute(a, before_, now_) : Return::success;
  std::swap(before_, now_);
  has_before_ = true;
  return code;
}

}  // namespace sonde::device::nvml
