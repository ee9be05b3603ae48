#include "inject/metrics/plan.h"

#include "inject/metrics/report_kernels.h"
#include "inject/pages.h"

namespace sonde::inject::metrics {
namespace {

/// What the planning of one GPU needs, while it lasts.
class Planner {
 public:
  Planner(Plan& plan, const Profiler& profiler, const Settings& wanted, const char* chip) noexcept
      : plan_(plan), profiler_(profiler), wanted_(wanted), chip_(chip) {}
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;
  ~Planner() = default;

  bool make(void* context) noexcept {
    plan_.names = new_array<const char*>(wanted_.name_count);
    plan_.places = new_array<uint32_t>(wanted_.name_count);
    known_ = new_array<uint32_t>(wanted_.name_count);
    if (plan_.names == nullptr || plan_.places == nullptr || known_ == nullptr || !read_availability(context))
      return false;
    plan_.host = new_host();
    if (plan_.host == nullptr) return false;
    choose_known();
    choose_together(0, known_count_);
    return plan_.count > 0 && make_config();
  }

 private:
  /// Counters that this GPU has switched off (some are, on some cards) are known only from the GPU itself.
  bool read_availability(void* context) noexcept {
    AvailabilityParams params;
    params.context = context;
    if (failed("cuptiProfilerGetCounterAvailability", profiler_.availability(&params))) return false;
    availability_ = new_array<uint8_t>(params.bytes);
    params.image = availability_;
    return availability_ != nullptr && !failed("cuptiProfilerGetCounterAvailability", profiler_.availability(&params));
  }

  void* new_host() noexcept {
    HostInitializeParams params;
    params.chip = chip_;
    params.availability = availability_;
    return failed("cuptiProfilerHostInitialize", profiler_.host_initialize(&params)) ? nullptr : params.host;
  }

  void drop(void* host) const noexcept {
    HostDeinitializeParams params;
    params.host = host;
    static_cast<void>(profiler_.host_deinitialize(&params));
  }

  void choose_known() noexcept {
    for (uint32_t place = 0; place < wanted_.name_count; ++place) {
      MetricPropertiesParams params;
      params.host = plan_.host;
      params.metric = wanted_.names[place];
      if (profiler_.metric_properties(&params) == Result::ok) {
        known_[known_count_++] = place;
      } else {
        report(wire::MeasureState::unknown_metric, wanted_.names[place]);
        report_near(wanted_.names[place]);
      }
    }
  }

  /// The metric of the chip that begins most like one that it has not.
  void report_near(const char* name) const noexcept {
    constexpr uint32_t kTypes = 3;
    constexpr size_t kEnough = 6;  ///< letters: a unit and the beginning of what it counts
    const char* near = nullptr;
    size_t most = kEnough;
    for (uint32_t type = 0; type < kTypes; ++type) {
      BaseMetricsParams params;
      params.host = plan_.host;
      params.type = type;
      if (profiler_.base_metrics(&params) != Result::ok) continue;
      for (size_t i = 0; i < params.count; ++i) {
        size_t equal = 0;
        while (name[equal] != '\0' && name[equal] == params.names[i][equal]) ++equal;
        if (equal <= most) continue;
        most = equal;
        near = params.names[i];
      }
    }
    if (near != nullptr) report(wire::MeasureState::near_metric, near);
  }

  /// Whether CUPTI takes the chosen metrics and these known ones in one configuration.
  bool goes_together(uint32_t first, uint32_t count) noexcept {
    void* const host = new_host();
    if (host == nullptr) return false;
    for (uint32_t i = 0; i < count; ++i) plan_.names[plan_.count + i] = wanted_.names[known_[first + i]];
    AddMetricsParams params;
    params.host = host;
    params.names = plan_.names;
    params.count = plan_.count + count;
    const bool ok = profiler_.add_metrics(&params) == Result::ok;
    drop(host);
    return ok;
  }

  /// By halves: few metrics are refused, and each try takes a millisecond.
  void choose_together(uint32_t first, uint32_t count) noexcept {
    if (count == 0) return;
    if (goes_together(first, count)) {
      for (uint32_t i = 0; i < count; ++i) plan_.places[plan_.count++] = known_[first + i];
    } else if (count == 1) {
      report(wire::MeasureState::refused_metric, wanted_.names[known_[first]]);
    } else {
      choose_together(first, count / 2);
      choose_together(first + count / 2, count - count / 2);
    }
  }

  bool make_config() noexcept {
    AddMetricsParams metrics;
    metrics.host = plan_.host;
    metrics.names = plan_.names;
    metrics.count = plan_.count;
    if (failed("cuptiProfilerHostConfigAddMetrics", profiler_.add_metrics(&metrics))) return false;
    ConfigSizeParams size;
    size.host = plan_.host;
    if (failed("cuptiProfilerHostGetConfigImageSize", profiler_.config_size(&size))) return false;
    plan_.config_bytes = size.bytes;
    plan_.config = new_array<uint8_t>(size.bytes);
    ConfigImageParams image;
    image.host = plan_.host;
    image.bytes = size.bytes;
    image.image = plan_.config;
    if (plan_.config == nullptr || failed("cuptiProfilerHostGetConfigImage", profiler_.config_image(&image))) {
      return false;
    }
    PassesParams passes;
    passes.bytes = plan_.config_bytes;
    passes.image = plan_.config;
    if (profiler_.passes(&passes) == Result::ok) {
      report(wire::MeasureState::passes, "", static_cast<int32_t>(passes.passes));
    }
    return true;
  }

  Plan& plan_;
  const Profiler& profiler_;
  const Settings& wanted_;
  const char* chip_;
  uint8_t* availability_ = nullptr;
  uint32_t* known_ = nullptr;  ///< places of metrics that the chip has
  uint32_t known_count_ = 0;
};

}  // namespace

bool make_plan(Plan& plan, const Profiler& profiler, const Settings& wanted, void* context, const char* chip) noexcept {
  return Planner(plan, profiler, wanted, chip).make(context);
}

}  // namespace sonde::inject::metrics
