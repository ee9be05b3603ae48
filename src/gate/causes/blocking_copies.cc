#include <algorithm>
#include <array>

#include "gate/difference/call_changes.h"

namespace sonde::gate {
namespace blocking_copies {
namespace {

bool waits(const CallChange& call) {
  return (call.name.contains("Memcpy") || call.name.contains("memcpy")) && !call.name.contains("Async");
}

bool is_copy(const Leaf& leaf) { return !leaf.key.idle && leaf.key.kind == WorkKind::copy; }

/// Copies that return when they are done, more or fewer of them: their time on the GPU in the modules that make them,
/// and what the GPU idles meanwhile.
void claim_blocking_copies(CauseLedger& ledger) {
  constexpr std::array<std::string_view, 1> kCauses = {"copy"};
  const CallsChanged calls = calls_changed(ledger.all(), waits);
  const auto more_here = [&](const Leaf& leaf) {
    return std::ranges::any_of(ledger.all().calls, [&](const CallChange& call) {
      return waits(call) && call.module == leaf.key.module && call.count_change() * leaf.count_change() > 0;
    });
  };
  std::vector<Leaf*> leaves = ledger.open([&](const Leaf& leaf) { return is_copy(leaf) && more_here(leaf); });
  std::ranges::copy(ledger.open_idle(kCauses), std::back_inserter(leaves));
  claim_calls(ledger, "blocking_copies", calls, leaves);
}

}  // namespace
}  // namespace blocking_copies

extern const CauseRule blocking_copies_cause;
const CauseRule blocking_copies_cause{"blocking_copies", blocking_copies::claim_blocking_copies};

}  // namespace sonde::gate
