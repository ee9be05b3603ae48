#include <array>

#include "gate/difference/call_changes.h"

namespace sonde::gate {
namespace allocation {
namespace {

/// Memory that is taken from the driver and returned, more or less often.
void claim_allocation(CauseLedger& ledger) {
  constexpr std::array<std::string_view, 1> kCauses = {"allocation"};
  const CallsChanged calls = calls_changed(ledger.all(), [](const CallChange& call) { return call.allocates; });
  claim_calls(ledger, "allocations", calls, ledger.open_idle(kCauses));
}

}  // namespace
}  // namespace allocation

extern const CauseRule allocation_cause;
const CauseRule allocation_cause{"allocation", allocation::claim_allocation};

}  // namespace sonde::gate
