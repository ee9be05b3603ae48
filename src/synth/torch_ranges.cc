#include "synth/torch_ranges.h"

#include <algorithm>
#include <array>

#include "synth/plants/shared_plant_tools.h"

namespace sonde::synth {
namespace {

constexpr int64_t kShortOperatorNs = 500;

Step push_of(uint32_t range, uint32_t site, uint32_t number) {
  Step step = planted(StepKind::push_range, site, "push nested", number);
  step.what = range;
  return step;
}

Step work_of(uint32_t site, uint32_t number) {
  Step step = planted(StepKind::host_work, site, "nested", number);
  step.amount = kShortOperatorNs;
  return step;
}

/// A step of torch.profiler ends where the next one begins: what comes before an iteration's range is part of it.
void begin_with_step(const Program& program, Steps& iteration) {
  const auto step =
      std::ranges::find_if(iteration, [&](const Step& s) { return opens(program, s, RangeLevel::iteration); });
  if (step != iteration.end()) std::rotate(iteration.begin(), step, step + 1);
}

}  // namespace

void use_torch_ranges(Program& program) {
  std::array<uint32_t, 2> ranges{};
  for (size_t i = 0; i < ranges.size(); ++i) {
    ranges.at(i) = static_cast<uint32_t>(program.ranges.size());
    RangeName& name = program.ranges.emplace_back();
    name.level = RangeLevel::op;
    name.torch = i == 0 ? "aten::empty" : "aten::as_strided";
  }
  for (HostThread& thread : program.threads) {
    begin_with_step(program, thread.iteration);
    Steps steps;
    for (size_t i = 0; i < thread.iteration.size(); ++i) {
      const Step& step = thread.iteration[i];
      steps.push_back(step);
      const bool innermost = opens(program, step, RangeLevel::op) && i + 1 < thread.iteration.size() &&
                             !opens(program, thread.iteration[i + 1], RangeLevel::op);
      if (!innermost) continue;
      for (uint32_t n = 0; n < ranges.size(); ++n) {
        steps.push_back(push_of(ranges.at(n), step.site, n));
        steps.push_back(work_of(step.site, n));
        steps.push_back(planted(StepKind::pop_range, step.site, "pop nested", n));
      }
    }
    thread.iteration = std::move(steps);
  }
}

}  // namespace sonde::synth
