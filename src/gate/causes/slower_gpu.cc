#include <cmath>
#include <set>

#include "gate/difference/cause_ledger.h"

namespace sonde::gate {
namespace slower_gpu {
namespace {

struct OfGpu {
  double base_ns = 0;
  double changed_ns = 0;
  double alike_ns = 0;               ///< of the base: kernels that changed about as much as all of them
  std::set<std::string> names = {};  ///< of these
  [[nodiscard]] double ratio() const { return base_ns > 0 ? changed_ns / base_ns : 1; }
};

bool computes(const Leaf& leaf) {
  return !leaf.key.idle && leaf.key.kind == WorkKind::kernel && !leaf.key.communication && leaf.base.there &&
         leaf.changed.there;
}

double on(const std::vector<double>& by_gpu, size_t gpu) { return gpu < by_gpu.size() ? by_gpu[gpu] : 0; }

OfGpu of_gpu(const Leaves& leaves, size_t gpu) {
  OfGpu found;
  for (const Leaf& leaf : leaves.leaves) {
    if (!computes(leaf)) continue;
    found.base_ns += on(leaf.base.duration_on_gpu, gpu);
    found.changed_ns += on(leaf.changed.duration_on_gpu, gpu);
  }
  for (const Leaf& leaf : leaves.leaves) {
    const double base = on(leaf.base.duration_on_gpu, gpu);
    if (!computes(leaf) || base <= 0) continue;
    const double change = on(leaf.changed.duration_on_gpu, gpu) / base - 1;
    if (std::abs(change - (found.ratio() - 1)) >= 0.5 * std::abs(found.ratio() - 1)) continue;
    found.alike_ns += base;
    found.names.insert(leaf.key.name);
  }
  return found;
}

/// What the kernel's own time on this GPU changed its share by.
int64_t own_change(const Leaf& leaf, size_t gpu) {
  const double base = on(leaf.base.duration_on_gpu, gpu);
  if (base <= 0) return 0;
  const double factor = on(leaf.changed.duration_on_gpu, gpu) / base - 1;
  return std::llround(on(leaf.base.on_gpu, gpu) * factor);
}

bool stands_out(const OfGpu& found) {
  constexpr double kMinChange = 0.02;
  constexpr double kNearlyAll = 0.8;
  constexpr size_t kSeveral = 3;
  return std::abs(found.ratio() - 1) >= kMinChange && found.alike_ns >= kNearlyAll * found.base_ns &&
         found.names.size() >= kSeveral;
}

/// Kernels of one GPU, nearly all of them, slower or faster by the same share: it is the GPU that changed.
void claim_slower_gpu(CauseLedger& ledger) {
  const Leaves& all = ledger.all();
  for (size_t gpu = 0; gpu < all.gpus; ++gpu) {
    const OfGpu found = of_gpu(all, gpu);
    if (!stands_out(found)) continue;
    const std::vector<Leaf*> leaves = ledger.open(computes);
    int64_t change_ns = 0;
    for (const Leaf* leaf : leaves) change_ns += own_change(*leaf, gpu) - leaf->clock_ns.value_or(0);
    if (std::abs(change_ns) < ledger.least_ns()) continue;
    CauseEntry& entry = ledger.entries().emplace_back();
    entry.family = "slower_gpu";
    entry.facts.figure = direction(found.base_ns, found.changed_ns);
    entry.arguments = {named_text("gpu", all.gpu_places[gpu]), named_time("base_time", found.base_ns),
                       named_time("time", found.changed_ns)};
    entry.busy_ns = change_ns;
    for (Leaf* leaf : leaves) leaf->open_ns -= own_change(*leaf, gpu) - leaf->clock_ns.value_or(0);
  }
}

}  // namespace
}  // namespace slower_gpu

extern const CauseRule slower_gpu_cause;
const CauseRule slower_gpu_cause{"slower_gpu", slower_gpu::claim_slower_gpu};

}  // namespace sonde::gate
