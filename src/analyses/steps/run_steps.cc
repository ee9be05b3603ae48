#include "analyses/steps/run_steps.h"

#include "analyses/steps/warm_up.h"

namespace sonde {

std::vector<Span> steady_steps(const Trace& trace) {
  const auto found = find_warm_up(trace);
  return found ? found->steady : std::vector<Span>();
}

}  // namespace sonde
