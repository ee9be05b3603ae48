#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>

#include "gate/difference/call_changes.h"

namespace sonde::gate {
namespace blocked_host {
namespace {

/// Calls in which the host may wait for the GPU: copies from pageable memory wait without being synchronizations.
bool may_wait(const CallChange& call) {
  return call.synchronizes || call.name.contains("Memcpy") || call.name.contains("memcpy");
}

struct Blocked {
  double base_ns = 0;
  double ns = 0;
  std::map<std::string, double> changes = {};  ///< by call
};

Blocked blocked(const Leaves& leaves) {
  Blocked sum;
  for (const CallChange& call : leaves.calls) {
    if (!may_wait(call)) continue;
    sum.base_ns += call.base.ns;
    sum.ns += call.changed.ns;
    sum.changes[call.name] += call.changed.ns - call.base.ns;
  }
  return sum;
}

double busy_change(const Leaves& leaves) {
  int64_t sum = 0;
  for (const Leaf& leaf : leaves.leaves) sum += leaf.key.idle ? 0 : leaf.change_ns();
  return static_cast<double>(std::abs(sum));
}

/// Whether the host is blocked for much longer, or less, than before, by enough to explain the idle time, and not
/// because the GPU's own work takes another time.
bool explains(const Blocked& found, double idle_change, double busy_change_ns) {
  constexpr double kHalf = 0.5;
  const double change = found.ns - found.base_ns;
  return change * idle_change > 0 && std::abs(change) >= kHalf * std::abs(idle_change) &&
         std::min(found.base_ns, found.ns) <= kHalf * std::max(found.base_ns, found.ns) &&
         busy_change_ns <= kHalf * std::abs(change);
}

/// A host that waits for the GPU does its own work while the GPU is idle; one that does not wait does it meanwhile.
void claim_blocked_host(CauseLedger& ledger) {
  constexpr std::array<std::string_view, 6> kCauses = {"api", "os_call", "library", "range", "host", "host_work"};
  const std::vector<Leaf*> leaves = ledger.open_idle(kCauses);
  const Blocked found = blocked(ledger.all());
  const auto open = static_cast<double>(open_sum(leaves));
  if (!explains(found, open, busy_change(ledger.all()))) return;
  const auto most = std::ranges::max_element(
      found.changes, {}, [&](const auto& change) { return open > 0 ? change.second : -change.second; });
  ledger.claim("blocked_host", leaves,
               {named_text("calls", most->first), named_time("base_time", found.base_ns), named_time("time", found.ns)},
               {.figure = direction(found.base_ns, found.ns)});
}

}  // namespace
}  // namespace blocked_host

extern const CauseRule blocked_host_cause;
const CauseRule blocked_host_cause{"blocked_host", blocked_host::claim_blocked_host};

}  // namespace sonde::gate
