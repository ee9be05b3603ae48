#include "inject/metrics/session.h"

#include "inject/metrics/report_kernels.h"
#include "inject/pages.h"

namespace sonde::inject::metrics {
namespace {

/// CUPTI knows the metrics of a chip's instructions only once the host API was initialized:
/// cuptiSassMetricsGetProperties() gives 15 before (seen on an H100). The host stays, since it is not
/// known whether CUPTI forgets the metrics with it.
void teach_chip(const Profiler& profiler, const char* chip) noexcept {
  HostInitializeParams params;
  params.chip = chip;
  static_cast<void>(profiler.host_initialize(&params));
}

}  // namespace

bool Session::open(const Profiler& profiler, const Settings& wanted, void* context, int device) noexcept {
  profiler_ = &profiler;
  context_ = context;
  ChipNameParams chip;
  chip.device = static_cast<size_t>(device);
  if (failed("cuptiDeviceGetChipName", profiler.chip_name(&chip))) return false;
  report_device(device, chip.name);
  if (chip.name != nullptr) chip_ = chip.name;
  if (wanted.name_count == 0) {
    if (wanted.instructions) teach_chip(profiler, chip.name);
    return true;
  }
  if (!make_plan(plan_, profiler, wanted, context, chip.name)) return false;
  values_ = new_array<double>(plan_.count);
  return values_ != nullptr && enable() && make_image();
}

bool Session::enable() noexcept {
  EnableParams params;
  params.context = context_;
  if (failed("cuptiRangeProfilerEnable", profiler_->enable(&params))) return false;
  object_ = params.profiler;
  return true;
}

bool Session::make_image() noexcept {
  CounterSizeParams size;
  size.profiler = object_;
  size.names = plan_.names;
  size.count = plan_.count;
  if (failed("cuptiRangeProfilerGetCounterDataSize", profiler_->counter_size(&size))) return false;
  image_bytes_ = size.bytes;
  image_ = new_array<uint8_t>(image_bytes_);
  return image_ != nullptr;
}

void Session::let_go() noexcept {
  if (object_ == nullptr) return;
  ProfilerParams params;
  params.profiler = object_;
  if (!failed("cuptiRangeProfilerDisable", profiler_->disable(&params))) object_ = nullptr;
}

bool Session::start() noexcept {
  if (object_ == nullptr && !enable()) return false;
  CounterImageParams image;
  image.profiler = object_;
  image.bytes = image_bytes_;
  image.image = image_;
  if (failed("cuptiRangeProfilerCounterDataImageInitialize", profiler_->counter_image(&image))) return false;
  SetConfigParams config;
  config.profiler = object_;
  config.config_bytes = plan_.config_bytes;
  config.config = plan_.config;
  config.counter_bytes = image_bytes_;
  config.counters = image_;
  if (failed("cuptiRangeProfilerSetConfig", profiler_->set_config(&config))) return false;
  ProfilerParams start;
  start.profiler = object_;
  return !failed("cuptiRangeProfilerStart", profiler_->start(&start));
}

bool Session::stop() noexcept {
  has_values_ = false;
  StopParams stop;
  stop.profiler = object_;
  if (failed("cuptiRangeProfilerStop", profiler_->stop(&stop))) return false;
  DecodeParams decode;
  decode.profiler = object_;
  if (failed("cuptiRangeProfilerDecodeData", profiler_->decode(&decode))) return false;
  CounterInfoParams info;
  info.image = image_;
  info.bytes = image_bytes_;
  if (failed("cuptiRangeProfilerGetCounterDataInfo", profiler_->counter_info(&info))) return false;
  if (info.ranges == 0) return true;
  EvaluateParams evaluate;
  evaluate.host = plan_.host;
  evaluate.image = image_;
  evaluate.bytes = image_bytes_;
  evaluate.names = plan_.names;
  evaluate.count = plan_.count;
  evaluate.values = values_;
  has_values_ = !failed("cuptiProfilerHostEvaluateToGpuValues", profiler_->evaluate(&evaluate));
  return has_values_;
}

}  // namespace sonde::inject::metrics
