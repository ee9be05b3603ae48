#include "gate/difference/cause_ledger.h"
#include "gate/difference/place.h"

namespace sonde::gate {
namespace graphs {
namespace {

bool is_graph(const Leaf& leaf) { return !leaf.key.idle && leaf.key.kind == WorkKind::graph_launch; }

/// Kernels that the side with graphs launches less often by itself, and so perhaps inside them.
std::vector<Leaf*> perhaps_inside(CauseLedger& ledger, LeafSide Leaf::* with, LeafSide Leaf::* without) {
  return ledger.open([&](const Leaf& leaf) {
    const bool kernel = !leaf.key.idle && leaf.key.kind == WorkKind::kernel;
    return kernel && (leaf.*with).count < (leaf.*without).count;
  });
}

/// CUDA graphs that were traced as a whole: which kernels ran in them is not known, so that kernels of the other side
/// are not gone.
void claim_graphs(CauseLedger& ledger) {
  std::vector<Leaf*> leaves = ledger.open(is_graph);
  if (leaves.empty()) return;
  const LeafSums sums = sums_of(leaves);
  const CauseCase facts = case_of(sums);
  std::vector<Argument> arguments = {named_text("module", place_of(leaves))};
  add_work_arguments(sums, arguments);
  double launches = sums.changed.count - sums.base.count;
  if (facts.sides != Presence::both) {
    const bool added = facts.sides == Presence::new_only;
    const std::vector<Leaf*> inside =
        perhaps_inside(ledger, added ? &Leaf::changed : &Leaf::base, added ? &Leaf::base : &Leaf::changed);
    for (Leaf* leaf : inside) launches += leaf->count_change();
    leaves.insert(leaves.end(), inside.begin(), inside.end());
  }
  CauseEntry* entry = ledger.claim("graphs", leaves, std::move(arguments), facts);
  if (entry != nullptr) entry->launches = launches;
}

}  // namespace
}  // namespace graphs

extern const CauseRule graphs_cause;
const CauseRule graphs_cause{"graphs", graphs::claim_graphs};

}  // namespace sonde::gate
