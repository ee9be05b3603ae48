#include "inject/gpu_metrics/report_samples.h"

#include <cstdio>
#include <cstring>

#include "inject/cupti/worker_record.h"
#include "inject/gpu_metrics/pm_sampling.h"

namespace sonde::inject::gpu_metrics {
namespace {

using cupti::begin_worker_record;
using cupti::write_with_text;
using wire::Kind;
using wire::SamplingState;

/// CUptiResult (cupti_result.h).
SamplingState state_of(int32_t result) noexcept {
  switch (result) {
    case 26: return SamplingState::in_use;  // HARDWARE_BUSY
    case 35:                                // INSUFFICIENT_PRIVILEGES
    case 40:                                // VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES
      return SamplingState::denied;
    case 14:  // NOT_COMPATIBLE
    case 27:  // NOT_SUPPORTED
    case 33:  // VIRTUALIZED_DEVICE_NOT_SUPPORTED
    case 38:  // LEGACY_PROFILER_NOT_SUPPORTED
    case 41:  // CONFIDENTIAL_COMPUTING_NOT_SUPPORTED
    case 42:  // CMP_DEVICE_NOT_SUPPORTED
    case 43:  // MIG_DEVICE_NOT_SUPPORTED
    case 44:  // SLI_DEVICE_NOT_SUPPORTED
    case 45:  // WSL_DEVICE_NOT_SUPPORTED
    case 46:  // INVALID_CHIP_NAME
      return SamplingState::unsupported;
    default: return SamplingState::failed;
  }
}

}  // namespace

void report(SamplingState state, uint32_t device, const char* text, int32_t result) noexcept {
  static_cast<void>(
      write_with_text(Kind::sampling_state, wire::SamplingStateBody{state, result, device, 0, 0}, text_of(text)));
}

void report_failure(const cupti::Library& library, uint32_t device, const char* function,
                    cupti::Result result) noexcept {
  char text[512];
  const auto number = static_cast<int32_t>(result);
  snprintf(text, sizeof text, "%s: %.300s", function, cupti::text_of(library, result));
  const bool is_on_already = result == kInvalidOperation && strcmp(function, "cuptiPmSamplingEnable") == 0;
  report(is_on_already ? SamplingState::in_use : state_of(number), device, text, number);
}

void report_gpu(const wire::SampledGpuBody& gpu, const char* chip) noexcept {
  static_cast<void>(write_with_text(Kind::sampled_gpu, gpu, text_of(chip)));
}

void report_metric(uint32_t device, uint32_t place, const char* shown) noexcept {
  const wire::SampledMetricBody body{device, 0, static_cast<uint16_t>(place)};
  static_cast<void>(write_with_text(Kind::sampled_metric, body, text_of(shown)));
}

void report_sample(const wire::SampleBody& sample, const double* values) noexcept {
  const size_t value_bytes = sample.count * sizeof(double);
  const auto bytes = static_cast<uint32_t>(sizeof(wire::RecordHead) + sizeof sample + value_bytes);
  std::byte* const at = begin_worker_record(Kind::gpu_sample, bytes, 0);
  if (at == nullptr) return;
  memcpy(put(at, sample), values, value_bytes);
  commit_record(bytes);
}

void report_tally(const wire::SamplingTallyBody& tally) noexcept {
  static_cast<void>(cupti::write_body(Kind::sampling_tally, tally));
}

}  // namespace sonde::inject::gpu_metrics
