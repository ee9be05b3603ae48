#include <cmath>

#include "gate/difference/cause_ledger.h"

namespace sonde::gate {
namespace {

struct OfGpu {
  double base_ns = 0;
  double changed_ns = 0;
  double alike_ns = 0;  ///< of the base: kernels that changed about as much as all of them
  [[nodiscard]] double ratio() const { return base_ns > 0 ? changed_ns / base_ns : 1; }
};

bool computes(const Leaf& leaf) {
  return !leaf.key.idle && leaf.key.kind == WorkKind::kernel && !leaf.key.communication && leaf.base.there &&
         leaf.changed.there;
}

double on(const LeafSide& side, size_t gpu) { return gpu < side.on_gpu.size() ? side.on_gpu[gpu] : 0; }

OfGpu of_gpu(const Leaves& leaves, size_t gpu) {
  OfGpu found;
  for (const Leaf& leaf : leaves.leaves) {
    if (!computes(leaf)) continue;
    found.base_ns += on(leaf.base, gpu);
    found.changed_ns += on(leaf.changed, gpu);
  }
  for (const Leaf& leaf : leaves.leaves) {
    const double base = on(leaf.base, gpu);
    if (!computes(leaf) || base <= 0) continue;
    const double change = on(leaf.changed, gpu) / base - 1;
    if (std::abs(change - (found.ratio() - 1)) < 0.5 * std::abs(found.ratio() - 1)) found.alike_ns += base;
  }
  return found;
}

/// Kernels of one GPU, nearly all of them, slower or faster by the same share: it is the GPU that changed.
void claim_slower_gpu(CauseLedger& ledger) {
  constexpr double kLeastChange = 0.02;
  constexpr double kNearlyAll = 0.8;
  const Leaves& all = ledger.all();
  for (size_t gpu = 0; gpu < all.gpus; ++gpu) {
    const OfGpu found = of_gpu(all, gpu);
    const double change_ns = found.changed_ns - found.base_ns;
    if (std::abs(found.ratio() - 1) < kLeastChange || found.alike_ns < kNearlyAll * found.base_ns) continue;
    if (std::abs(change_ns) < static_cast<double>(ledger.least_ns())) continue;
    CauseEntry& entry = ledger.entries().emplace_back();
    entry.id = change_ns > 0 ? "gpu_slower" : "gpu_faster";
    entry.arguments = {told("gpu", all.gpu_places[gpu]), told_time("base_time", found.base_ns),
                       told_time("time", found.changed_ns)};
    for (Leaf* leaf : ledger.open(computes)) {
      const int64_t part = std::llround(on(leaf->changed, gpu) - on(leaf->base, gpu)) - leaf->clock_ns.value_or(0);
      entry.busy_ns += part;
      leaf->open_ns -= part;
    }
  }
}

}  // namespace

extern const CauseRule slower_gpu_cause;
const CauseRule slower_gpu_cause{"slower_gpu", claim_slower_gpu};

}  // namespace sonde::gate
