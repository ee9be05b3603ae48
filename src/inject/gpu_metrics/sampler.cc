#include "inject/gpu_metrics/sampler.h"

#include <cstring>
#include <utility>

#include "inject/attachment.h"
#include "inject/cupti/clock.h"
#include "inject/driver.h"
#include "inject/gpu_metrics/report_samples.h"
#include "inject/pages.h"

namespace sonde::inject::gpu_metrics {
namespace {

using wire::SamplingState;

constexpr int64_t kSecondNs = 1'000'000'000;
/// A choice: on an H100 CUPTI's clock was known to 200 ns, and the last sample ended 1.5 ms or more before its
/// decoding.
constexpr int64_t kMaxClockErrorNs = 100'000;

/// The hardware's buffer holds so much of a second, by 16 KB a sample: an H100 takes 4 to 7 KB with few metrics.
constexpr uint64_t kSampleBytes = 16'384;
constexpr uint64_t kPartOfSecond = 2;
constexpr uint64_t kMinHardwareBytes = uint64_t{16} << 20U;
constexpr uint64_t kMaxHardwareBytes = uint64_t{256} << 20U;

/// Samples that one decoding may give: a tenth of a second of them. What it has no room for, CUPTI loses. On an H100
/// each place takes some 16 KB, and clearing it a microsecond.
constexpr uint32_t kDecodesPerSecond = 10;
constexpr uint32_t kMinSamples = 64;
constexpr uint32_t kMaxSamples = 8192;

template <typename T>
T within(T value, T least, T most) noexcept {
  return value < least ? least : value > most ? most : value;
}

/// Turing and GA100 cannot sample by time (cupti_pmsampling.h).
bool samples_by_cycles(const char* chip) noexcept { return strncmp(chip, "TU", 2) == 0 || strcmp(chip, "GA100") == 0; }

}  // namespace

bool Sampler::failed(const char* function, Result result) const noexcept {
  if (result != Result::ok) report_failure(*sampling_->library, device_, function, result);
  return result != Result::ok;
}

/// Counters that this GPU has switched off are known only from the GPU itself.
bool Sampler::read_availability() noexcept {
  constexpr const char* kFunction = "cuptiPmSamplingGetCounterAvailability";
  AvailabilityParams params;
  params.device = device_;
  if (failed(kFunction, sampling_->availability(&params))) return false;
  availability_ = new_array<uint8_t>(params.bytes);
  params.image = availability_;
  return availability_ != nullptr && !failed(kFunction, sampling_->availability(&params));
}

bool Sampler::open(const PmSampling& sampling, uint32_t device, uint32_t frequency_hz) noexcept {
  sampling_ = &sampling;
  device_ = device;
  frequency_hz_ = frequency_hz;
  tally_.device = device;
  metrics::ChipNameParams chip;
  chip.device = device;
  if (failed("cuptiDeviceGetChipName", sampling.chip_name(&chip)) || !read_availability()) return false;
  if (!make_plan(plan_, sampling, wanted_metrics(), device, chip.name, availability_)) return false;
  // The SYS clock is near the SMs' highest; what came of it is shown by the samples' own times.
  constexpr uint64_t kDefaultHz = 1'400'000'000;
  constexpr int kClockRateKhz = 13;  // CU_DEVICE_ATTRIBUTE_CLOCK_RATE
  constexpr uint64_t kPerKilo = 1000;
  const uint64_t clock_hz = attribute_of(static_cast<int>(device), kClockRateKhz) * kPerKilo;
  trigger_ = samples_by_cycles(chip.name) ? Trigger::sys_clock : Trigger::time;
  interval_ = (trigger_ == Trigger::time ? uint64_t{kSecondNs} : clock_hz == 0 ? kDefaultHz : clock_hz) / frequency_hz;
  EnableParams enable;
  enable.device = device;
  if (failed("cuptiPmSamplingEnable", sampling.enable(&enable))) return false;
  object_ = enable.sampler;
  if (!set_config() || !make_image()) return false;
  report_what_is_sampled(chip.name);
  return true;
}

void Sampler::report_what_is_sampled(const char* chip) const noexcept {
  wire::SampledGpuBody gpu{};
  gpu.device = device_;
  gpu.metrics = static_cast<uint16_t>(plan_.count);
  gpu.interval = interval_;
  gpu.is_cycles = trigger_ == Trigger::sys_clock ? 1 : 0;
  static_cast<void>(the_driver().device_uuid(gpu.uuid, static_cast<int>(device_)));
  report_gpu(gpu, chip);
  for (uint32_t place = 0; place < plan_.count; ++place) report_metric(device_, place, plan_.choices[place]->shown);
}

bool Sampler::set_config() noexcept {
  SetConfigParams params;
  params.sampler = object_;
  params.config_bytes = plan_.config_bytes;
  params.config = plan_.config;
  params.hardware_bytes = within(frequency_hz_ * kSampleBytes / kPartOfSecond, kMinHardwareBytes, kMaxHardwareBytes);
  params.interval = interval_;
  params.trigger = trigger_;
  return !failed("cuptiPmSamplingSetConfig", sampling_->set_config(&params));
}

bool Sampler::make_image() noexcept {
  ImageSizeParams size;
  size.sampler = object_;
  size.names = plan_.names;
  size.count = plan_.count;
  size.most_samples = within(frequency_hz_ / kDecodesPerSecond, kMinSamples, kMaxSamples);
  if (failed("cuptiPmSamplingGetCounterDataSize", sampling_->image_size(&size))) return false;
  image_bytes_ = size.bytes;
  image_ = new_array<uint8_t>(image_bytes_);
  if (image_ == nullptr) report(SamplingState::failed, device_, "no memory for the samples of a GPU");
  return image_ != nullptr;
}

bool Sampler::clear_image() noexcept {
  ImageParams params;
  params.sampler = object_;
  params.bytes = image_bytes_;
  params.image = image_;
  return !failed("cuptiPmSamplingCounterDataImageInitialize", sampling_->clear_image(&params));
}

bool Sampler::start() noexcept {
  if (!clear_image()) return false;
  SamplerParams params;
  params.sampler = object_;
  started_at_ = now_ns();
  is_first_ = true;
  is_on_ = !failed("cuptiPmSamplingStart", sampling_->start(&params));
  return is_on_;
}

/// A buffer of the hardware's that was full once gives nothing more.
bool Sampler::begin_again() noexcept {
  ++tally_.overflows;
  if (!is_on_) return true;
  SamplerParams params;
  params.sampler = object_;
  return !failed("cuptiPmSamplingStop", sampling_->stop(&params)) && set_config() && start();
}

bool Sampler::decode() noexcept {
  const int64_t began = now_ns();
  DecodeParams params;
  params.sampler = object_;
  params.image = image_;
  params.bytes = image_bytes_;
  const Result result = sampling_->decode(&params);
  const int64_t decoded_at = now_ns();
  if (params.overflow != 0 || result == kOutOfMemory) {
    take_samples(decoded_at);  // what came before
    return begin_again();
  }
  if (failed("cuptiPmSamplingDecodeData", result)) return false;
  if (params.stop_reason == kImageFull) ++tally_.full_images;
  take_samples(decoded_at);
  tally_.busy_ns += now_ns() - began;
  if (began - reported_at_ >= kSecondNs) {
    reported_at_ = began;
    follow_clock();
    report_tally(tally_);
  }
  return clear_image();
}

/// What is not is counted.
bool Sampler::is_read(Result result) noexcept {
  if (result != Result::ok) ++tally_.unread;
  return result == Result::ok;
}

void Sampler::take_samples(int64_t decoded_at) noexcept {
  ImageInfoParams info;
  info.image = image_;
  info.bytes = image_bytes_;
  if (!is_read(sampling_->image_info(&info))) return;
  for (size_t i = 0; i < info.completed; ++i) {
    if (take_sample(i, decoded_at)) ++tally_.samples;
  }
}

void Sampler::follow_clock() noexcept { tally_.clock_error_ns = cupti::follow_clock(*sampling_->library).error_ns; }

/// The first since the start is left out: it begins with whatever the hardware held (168 ms before the others, in
/// NVIDIA's own example). Times are those of CUPTI's activities (seen on an H100); others than of the time between the
/// start and the decoding are of no use.
bool Sampler::take_sample(size_t index, int64_t decoded_at) noexcept {
  SampleInfoParams info;
  info.sampler = object_;
  info.image = image_;
  info.bytes = image_bytes_;
  info.sample = index;
  if (!is_read(sampling_->sample_info(&info))) return false;
  if (info.end == 0) ++tally_.timeless;
  if (info.end <= info.start) return false;  // the last ones after a stop cover no time
  if (std::exchange(is_first_, false)) return false;
  const int64_t start = cupti::to_monotonic(static_cast<int64_t>(info.start));
  const int64_t end = cupti::to_monotonic(static_cast<int64_t>(info.end));
  if (start < started_at_ - kMaxClockErrorNs || end > decoded_at + kMaxClockErrorNs) {
    ++tally_.misplaced;
    return false;
  }
  double values[wire::kMaxSampledMetrics] = {};
  metrics::EvaluateParams evaluate;
  evaluate.host = plan_.host;
  evaluate.image = image_;
  evaluate.bytes = image_bytes_;
  evaluate.range = index;
  evaluate.names = plan_.names;
  evaluate.count = plan_.count;
  evaluate.values = values;
  if (!is_read(sampling_->evaluate(&evaluate))) return false;
  for (uint32_t i = 0; i < plan_.count; ++i) values[i] *= plan_.choices[i]->factor;
  report_sample({start, end, device_, plan_.count}, values);
  return true;
}

void Sampler::stop() noexcept {
  SamplerParams params;
  params.sampler = object_;
  is_on_ = false;
  if (!failed("cuptiPmSamplingStop", sampling_->stop(&params))) static_cast<void>(decode());
  report_tally(tally_);
}

void Sampler::close() noexcept {
  if (object_ == nullptr) return;
  SamplerParams params;
  params.sampler = object_;
  static_cast<void>(sampling_->disable(&params));
  object_ = nullptr;
}

}  // namespace sonde::inject::gpu_metrics
