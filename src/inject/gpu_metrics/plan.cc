#include "inject/gpu_metrics/plan.h"

#include "inject/gpu_metrics/report_samples.h"
#include "inject/pages.h"

namespace sonde::inject::gpu_metrics {
namespace {

using wire::SamplingState;

class Planner {
 public:
  Planner(Plan& plan, const PmSampling& sampling, uint32_t device, const char* chip,
          const uint8_t* availability) noexcept
      : plan_(plan), sampling_(sampling), device_(device), chip_(chip), availability_(availability) {}

  bool make(const MetricSet& wanted) noexcept {
    plan_.host = new_host();
    if (plan_.host == nullptr) return false;
    for (uint32_t i = 0; i < wanted.count; ++i) add_known(wanted.choices[i]);
    if (plan_.count > 0 && !fits(plan_.count)) leave_out();
    if (plan_.count == 0) {
      report(SamplingState::nothing_fits, device_, chip_);
      return false;
    }
    return make_config();
  }

 private:
  bool failed(const char* function, Result result) const noexcept {
    if (result != Result::ok) report_failure(*sampling_.library, device_, function, result);
    return result != Result::ok;
  }

  void* new_host() const noexcept {
    metrics::HostInitializeParams params;
    params.profiler = kPmSamplingProfiler;
    params.chip = chip_;
    params.availability = availability_;
    return failed("cuptiProfilerHostInitialize", sampling_.host_initialize(&params)) ? nullptr : params.host;
  }

  [[nodiscard]] bool is_known(const char* name) const noexcept {
    metrics::MetricPropertiesParams params;
    params.host = plan_.host;
    params.metric = name;
    return sampling_.metric_properties(&params) == Result::ok;
  }

  void add_known(const MetricChoice& choice) noexcept {
    for (const char* const name : choice.names) {
      if (name == nullptr || !is_known(name)) continue;
      plan_.names[plan_.count] = name;
      plan_.choices[plan_.count++] = &choice;
      return;
    }
    report(SamplingState::unknown, device_, choice.shown);
  }

  /// A configuration of the first metrics, in an object of its own. Null where CUPTI takes them not together.
  uint8_t* config_of(void* host, uint32_t count, size_t& bytes) const noexcept {
    metrics::AddMetricsParams add;
    add.host = host;
    add.names = plan_.names;
    add.count = count;
    if (sampling_.add_metrics(&add) != Result::ok) return nullptr;
    metrics::ConfigSizeParams size;
    size.host = host;
    if (sampling_.config_size(&size) != Result::ok) return nullptr;
    metrics::ConfigImageParams image;
    image.host = host;
    image.bytes = bytes = size.bytes;
    image.image = new_array<uint8_t>(size.bytes);
    if (image.image != nullptr && sampling_.config_image(&image) == Result::ok) return image.image;
    give_pages_back(image.image, size.bytes);
    return nullptr;
  }

  [[nodiscard]] bool is_one_pass(uint8_t* config, size_t bytes) const noexcept {
    metrics::PassesParams passes;
    passes.image = config;
    passes.bytes = bytes;
    return sampling_.passes(&passes) == Result::ok && passes.passes == 1;
  }

  /// Whether the first metrics can be counted in one pass. Takes some 20 ms.
  [[nodiscard]] bool fits(uint32_t count) const noexcept {
    void* const host = new_host();
    if (host == nullptr) return false;
    size_t bytes = 0;
    uint8_t* const config = config_of(host, count, bytes);
    const bool one = config != nullptr && is_one_pass(config, bytes);
    give_pages_back(config, bytes);
    metrics::HostDeinitializeParams done;
    done.host = host;
    static_cast<void>(sampling_.host_deinitialize(&done));
    return one;
  }

  /// Keeps each that fits beside those before it.
  void leave_out() noexcept {
    const uint32_t all = plan_.count;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < all; ++i) {
      plan_.names[kept] = plan_.names[i];
      plan_.choices[kept] = plan_.choices[i];
      if (fits(kept + 1)) {
        ++kept;
      } else {
        report(SamplingState::left_out, device_, plan_.choices[kept]->shown);
      }
    }
    plan_.count = kept;
  }

  bool make_config() noexcept {
    plan_.config = config_of(plan_.host, plan_.count, plan_.config_bytes);
    if (plan_.config == nullptr) report(SamplingState::failed, device_, "cuptiProfilerHostGetConfigImage");
    return plan_.config != nullptr;
  }

  Plan& plan_;
  const PmSampling& sampling_;
  uint32_t device_;
  const char* chip_;
  const uint8_t* availability_;
};

}  // namespace

bool make_plan(Plan& plan, const PmSampling& sampling, const MetricSet& wanted, uint32_t device, const char* chip,
               const uint8_t* availability) noexcept {
  return Planner(plan, sampling, device, chip, availability).make(wanted);
}

}  // namespace sonde::inject::gpu_metrics
