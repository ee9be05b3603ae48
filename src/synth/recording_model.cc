#include "synth/recording_model.h"

#include "synth/noise.h"

namespace sonde::synth {
namespace {

/// Between both, all as likely.
int64_t drawn(const Noise& noise, uint32_t what, int64_t least, int64_t most) {
  return least +
         static_cast<int64_t>(noise.number(Purpose::recorder, what, 0) % static_cast<uint64_t>(most - least + 1));
}

}  // namespace

Result<RecordingModel> recording_model(const std::string& recorder, uint64_t seed) {
  if (recorder == "free") return RecordingModel{};
  if (recorder != "pytorch") return fail("unknown recorder '{}'; known: pytorch, free", recorder);
  const Noise noise(seed);
  RecordingModel model;
  model.gap_ns = drawn(noise, site_of("gap"), 300, 2'000);
  model.operator_ns = model.gap_ns * drawn(noise, site_of("operator"), 375, 625) / 100;
  model.call_ns = model.gap_ns * drawn(noise, site_of("call"), 75, 225) / 100;
  return model;
}

}  // namespace sonde::synth
