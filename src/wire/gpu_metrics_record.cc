#include "wire/gpu_metrics_record.h"

#include "wire/whole_body.h"

namespace sonde::wire {
namespace {

bool is_whole_sample(std::span<const std::byte> body) {
  SampleBody sample{};
  return take(body, sample) && sample.count <= kMaxSampledMetrics &&
         body.size() == sizeof sample + sample.count * sizeof(double);
}

}  // namespace

bool is_whole_gpu_metrics_record(Kind kind, std::span<const std::byte> body, uint16_t& text_bytes) {
  text_bytes = 0;
  switch (kind) {
    case Kind::sampling_state: {
      SamplingStateBody state{};
      return ends_with_text(body, state, text_bytes) && state.state < SamplingState::count_;
    }
    case Kind::sampled_gpu: {
      SampledGpuBody gpu{};
      return ends_with_text(body, gpu, text_bytes);
    }
    case Kind::sampled_metric: {
      SampledMetricBody metric{};
      return ends_with_text(body, metric, text_bytes) && metric.place < kMaxSampledMetrics;
    }
    case Kind::gpu_sample: return is_whole_sample(body);
    case Kind::sampling_tally: return body.size() == sizeof(SamplingTallyBody);
    default: return false;
  }
}

}  // namespace sonde::wire
