#include "analyses/steps/run_steps.h"

#include "analyses/steps/run_extent.h"
#include "analyses/steps/warm_up.h"

namespace sonde {

std::vector<Span> steady_steps(const Trace& trace) {
  const Span extent = run_extent(trace);
  const auto found = find_warm_up(trace, extent.second - extent.first);
  return found ? found->steady : std::vector<Span>();
}

}  // namespace sonde
