#include <array>
#include <cmath>

#include "gate/difference/cause_ledger.h"

namespace sonde::gate {
namespace launch_overhead {
namespace {

/// Gives each cause that launches more, or fewer, its part of the time that launching and starting took more, or less.
void claim_launch_overhead(CauseLedger& ledger) {
  constexpr std::array<std::string_view, 2> kCauses = {"launch", "start"};
  const std::vector<Leaf*> leaves = ledger.open_idle(kCauses);
  const int64_t open = open_sum(leaves);
  double launches = 0;
  const auto takes_part = [&](const CauseEntry& entry) { return entry.launches * static_cast<double>(open) > 0; };
  for (const CauseEntry& entry : ledger.entries()) launches += takes_part(entry) ? entry.launches : 0;
  if (launches == 0) return;
  double sum = 0;
  int64_t given = 0;
  for (CauseEntry& entry : ledger.entries()) {
    if (!takes_part(entry)) continue;
    sum += entry.launches;
    const int64_t up_to = std::llround(static_cast<double>(open) * (sum / launches));
    entry.idle_ns += up_to - given;
    given = up_to;
  }
  for (Leaf* leaf : leaves) leaf->open_ns = 0;
}

}  // namespace
}  // namespace launch_overhead

extern const CauseRule launch_overhead_cause;
const CauseRule launch_overhead_cause{"launch_overhead", launch_overhead::claim_launch_overhead};

}  // namespace sonde::gate
