#include "synth/plants/plant_tools.h"

#include <algorithm>

#include <fmt/format.h>

#include "synth/noise.h"

namespace sonde::synth {

Step planted(StepKind kind, uint32_t site, std::string_view what, uint32_t number) {
  Step step;
  step.kind = kind;
  step.site = site_of(fmt::format("planted {} at {} {}", what, site, number));
  return step;
}

bool opens(const Program& program, const Step& step, RangeLevel level) {
  return step.kind == StepKind::push_range && program.ranges[step.what].level == level;
}

bool opens_layer(const Program& program, const Step& step) {
  if (!opens(program, step, RangeLevel::module)) return false;
  const std::string& name = program.ranges[step.what].nvtx;
  return !name.empty() && name.back() >= '0' && name.back() <= '9';
}

uint16_t any_stream(const Program& program, uint16_t gpu) {
  const auto found = std::ranges::find_if(program.streams, [&](const StreamInfo& s) { return s.gpu == gpu; });
  return static_cast<uint16_t>(found - program.streams.begin());
}

}  // namespace sonde::synth
