#include <array>

#include "gate/difference/cause_ledger.h"

namespace sonde::gate {
namespace graph_calls {
namespace {

struct Launching {
  double graphs = 0;  ///< calls that launch CUDA graphs
  double all = 0;     ///< calls that launch kernels or graphs
};

Launching launching(const Leaves& leaves, CallSide CallChange::* side) {
  Launching sum;
  for (const CallChange& call : leaves.calls) {
    if (!call.launches) continue;
    sum.all += (call.*side).count;
    if (call.name.contains("GraphLaunch")) sum.graphs += (call.*side).count;
  }
  return sum;
}

/// One side launches kernels by CUDA graphs, and so calls less often: the time in which the GPU waits for the host.
void claim_graph_calls(CauseLedger& ledger) {
  constexpr double kFewer = 0.5;
  constexpr std::array<std::string_view, 8> kCauses = {"launch",  "start", "api",  "os_call",
                                                       "library", "range", "host", "host_work"};
  const Launching base = launching(ledger.all(), &CallChange::base);
  const Launching changed = launching(ledger.all(), &CallChange::changed);
  const bool added = changed.graphs > base.graphs && changed.all < kFewer * base.all;
  const bool removed = changed.graphs < base.graphs && base.all < kFewer * changed.all;
  const std::vector<Leaf*> leaves = ledger.open_idle(kCauses);
  if ((!added && !removed) || (open_sum(leaves) > 0) != removed) return;
  ledger.claim("graph_calls", leaves, {named_count("base_count", base.all), named_count("count", changed.all)},
               {.figure = direction(base.all, changed.all)});
}

}  // namespace
}  // namespace graph_calls

extern const CauseRule graph_calls_cause;
const CauseRule graph_calls_cause{"graph_calls", graph_calls::claim_graph_calls};

}  // namespace sonde::gate
