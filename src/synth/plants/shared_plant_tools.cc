#include "synth/plants/shared_plant_tools.h"

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

namespace {

void append_launches(Steps& steps, const Step& launch, const std::vector<uint32_t>& kernels) {
  constexpr int64_t kOperatorNs = 3800;  // as any operator's
  for (uint32_t i = 0; i < kernels.size(); ++i) {
    Step host = planted(StepKind::host_work, launch.site, "slice", i);
    host.amount = kOperatorNs;
    if (i > 0) steps.push_back(host);
    Step step = launch;
    step.site = planted(StepKind::launch, launch.site, "launch", i).site;
    step.what = kernels[i];
    steps.push_back(step);
  }
}

}  // namespace

void replace_launches(Program& program, const Replacements& replacements) {
  for (HostThread& thread : program.threads) {
    Steps steps;
    for (const Step& step : thread.iteration) {
      const auto replaced = step.kind == StepKind::launch ? replacements.find(step.what) : replacements.end();
      if (replaced == replacements.end()) {
        steps.push_back(step);
      } else {
        append_launches(steps, step, replaced->second);
      }
    }
    thread.iteration = std::move(steps);
  }
}

void replace_kernels(Program& program, const std::function<bool(const Kernel&)>& is_replaced,
                     const std::function<std::vector<uint32_t>(Program&, const Kernel&)>& add_parts) {
  Replacements parts;
  const auto kernels = static_cast<uint32_t>(program.kernels.size());
  for (uint32_t k = 0; k < kernels; ++k) {
    const Kernel kernel = program.kernels[k];  // the list grows
    if (is_replaced(kernel)) parts[k] = add_parts(program, kernel);
  }
  replace_launches(program, parts);
}

}  // namespace sonde::synth
