#include "gate/difference/cause_ledger.h"
#include "gate/difference/place.h"

namespace sonde::gate {
namespace memsets {
namespace {

/// Memsets, more or fewer, larger or smaller ones.
void claim_memsets(CauseLedger& ledger) {
  const std::vector<Leaf*> leaves =
      ledger.open([](const Leaf& leaf) { return !leaf.key.idle && leaf.key.kind == WorkKind::set; });
  std::vector<Argument> arguments = {named_text("module", place_of(leaves))};
  const LeafSums sums = sums_of(leaves);
  add_work_arguments(sums, arguments);
  CauseEntry* entry = ledger.claim("memsets", leaves, std::move(arguments), case_of(sums));
  if (entry != nullptr) entry->launches = sums.changed.count - sums.base.count;
}

}  // namespace
}  // namespace memsets

extern const CauseRule memsets_cause;
const CauseRule memsets_cause{"memsets", memsets::claim_memsets};

}  // namespace sonde::gate
