#pragma once

#include "inject/gpu_metrics/plan.h"

/// Sampling of one GPU. From the thread that samples.
namespace sonde::inject::gpu_metrics {

class Sampler {
 public:
  /// Asks CUPTI for the GPU's counters. False where they cannot be had: the reason is reported.
  bool open(const PmSampling& sampling, uint32_t device, uint32_t frequency_hz) noexcept;
  /// False where sampling could not begin: the reason is reported.
  bool start() noexcept;
  /// Takes what was sampled since. False where it failed for good: the reason is reported.
  bool decode() noexcept;
  /// Takes the rest, and ends sampling.
  void stop() noexcept;
  void close() noexcept;

 private:
  bool failed(const char* function, Result result) const noexcept;
  bool read_availability() noexcept;
  bool set_config() noexcept;
  bool make_image() noexcept;
  bool clear_image() noexcept;
  bool begin_again() noexcept;
  void take_samples(int64_t decoded_at) noexcept;
  bool take_sample(size_t index, int64_t decoded_at) noexcept;
  void follow_clock() noexcept;
  bool is_read(Result result) noexcept;
  void report_what_is_sampled(const char* chip) const noexcept;

  const PmSampling* sampling_ = nullptr;
  uint32_t device_ = 0;
  uint32_t frequency_hz_ = 0;
  uint8_t* availability_ = nullptr;
  Plan plan_;
  void* object_ = nullptr;  ///< CUPTI's
  Trigger trigger_ = Trigger::time;
  uint64_t interval_ = 0;
  uint8_t* image_ = nullptr;
  size_t image_bytes_ = 0;
  bool is_on_ = false;
  int64_t started_at_ = 0;
  bool is_first_ = true;  ///< the next sample is the first since then
  int64_t reported_at_ = 0;
  wire::SamplingTallyBody tally_{};
};

}  // namespace sonde::inject::gpu_metrics
