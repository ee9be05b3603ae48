#include <array>

#include "gate/difference/call_changes.h"

namespace sonde::gate {
namespace synchronizations {
namespace {

/// Calls that wait for the GPU, more or fewer of them: the time in which it runs dry meanwhile.
void claim_synchronizations(CauseLedger& ledger) {
  constexpr std::array<std::string_view, 1> kCauses = {"synchronization"};
  const CallsChanged calls = calls_changed(ledger.all(), [](const CallChange& call) { return call.synchronizes; });
  claim_calls(ledger, "synchronizations", calls, ledger.open_idle(kCauses));
}

}  // namespace
}  // namespace synchronizations

extern const CauseRule synchronizations_cause;
const CauseRule synchronizations_cause{"synchronizations", synchronizations::claim_synchronizations};

}  // namespace sonde::gate
