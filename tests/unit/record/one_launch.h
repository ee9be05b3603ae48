#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "analyses/views/kernel_view.h"
#include "trace/trace.h"

namespace sonde {

/// A trace with one measured launch that has these counters; without with_gpu(), on an unknown GPU.
class OneLaunch {
 public:
  OneLaunch& with(std::string_view name, double value) {
    kernel_.metrics.push_back({trace_.names.intern(name), MetricValue::real(value), {}});
    std::ranges::sort(kernel_.metrics, {}, &Metric::name);
    return *this;
  }
  OneLaunch& with_gpu(int64_t compute_major, int64_t compute_minor) {
    Device device;
    device.compute_major = compute_major;
    device.compute_minor = compute_minor;
    trace_.devices.push_back(device);
    kernel_.device = 0;
    return *this;
  }
  [[nodiscard]] const Trace& trace() const { return trace_; }
  [[nodiscard]] const KernelProfile& kernel() const { return kernel_; }
  [[nodiscard]] Result<Table> view(std::string_view name) const {
    const auto views = kernel_views();
    return std::ranges::find(views, name, &KernelView::name)->run(trace_, kernel_);
  }

 private:
  Trace trace_;
  KernelProfile kernel_;
};

}  // namespace sonde
