#include <algorithm>

#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace late_reduction {
namespace {

/// Where the steps of a collective begin: its stream waits for what it reduces, in front of its range.
size_t begin_of(const Steps& steps, size_t collective) {
  size_t begin = collective;
  while (begin > 0 && steps[begin].kind != StepKind::record_event) --begin;
  return begin;
}

size_t end_of(const Steps& steps, size_t collective) {
  const auto pop = std::find_if(steps.begin() + static_cast<std::ptrdiff_t>(collective), steps.end(),
                                [](const Step& s) { return s.kind == StepKind::pop_range; });
  return static_cast<size_t>(pop - steps.begin()) + 1;
}

/// Collectives of the backward pass behind all of its kernels.
void plant_late_reduction(Program& program) {
  for (HostThread& thread : program.threads) {
    Steps computing;
    Steps collectives;
    Steps& steps = thread.iteration;
    size_t at = 0;
    for (size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].kind != StepKind::collective) continue;
      const size_t begin = begin_of(steps, i);
      const size_t end = end_of(steps, i);
      computing.insert(computing.end(), steps.begin() + static_cast<std::ptrdiff_t>(at),
                       steps.begin() + static_cast<std::ptrdiff_t>(begin));
      collectives.insert(collectives.end(), steps.begin() + static_cast<std::ptrdiff_t>(begin),
                         steps.begin() + static_cast<std::ptrdiff_t>(end));
      at = end;
    }
    if (collectives.empty()) continue;
    Steps late = std::move(computing);
    const auto rest = steps.begin() + static_cast<std::ptrdiff_t>(at);
    const auto last = std::find_if(rest, steps.end(), [](const Step& s) { return s.kind == StepKind::record_event; });
    late.insert(late.end(), rest, last);
    late.insert(late.end(), collectives.begin(), collectives.end());
    late.insert(late.end(), last, steps.end());
    thread.iteration = std::move(late);
  }
}

}  // namespace
}  // namespace late_reduction

extern const Plant late_reduction_plant;
const Plant late_reduction_plant = {
    "late_reduction", "gradients are reduced after the backward pass instead of concurrently",
    "after each backward pass, on every GPU", "--gpus 2 --plant late_reduction", &late_reduction::plant_late_reduction};

}  // namespace sonde::synth
