#include <cmath>

#include "gate/difference/cause_ledger.h"

namespace sonde::gate {
namespace clock {
namespace {

/// Over all GPUs whose clocks are known, in the mean.
ClockChange mean_clock(const Leaves& leaves) {
  ClockChange mean;
  double known = 0;
  for (const auto& clock : leaves.clocks) {
    if (!clock) continue;
    mean.base_hz += clock->base_hz;
    mean.changed_hz += clock->changed_hz;
    ++known;
  }
  return known > 0 ? ClockChange{mean.base_hz / known, mean.changed_hz / known} : ClockChange{};
}

/// The part of the kernels' change that disappears in cycles. The part that the kernels' own rules see is what is left.
void claim_clock(CauseLedger& ledger) {
  const std::vector<Leaf*> kernels = ledger.open_kernels();
  int64_t all = 0;
  for (const Leaf* leaf : kernels) all += leaf->clock_ns.value_or(0);
  if (std::abs(all) < ledger.least_ns()) return;
  constexpr double kMega = 1e6;
  const ClockChange clock = mean_clock(ledger.all());
  CauseEntry& entry = ledger.entries().emplace_back();
  entry.family = "clock";
  entry.facts.figure = direction(clock.base_hz, clock.changed_hz);
  entry.arguments = {named_count("base_mhz", std::round(clock.base_hz / kMega)),
                     named_count("mhz", std::round(clock.changed_hz / kMega))};
  entry.busy_ns = all;
  for (Leaf* leaf : kernels) leaf->open_ns -= leaf->clock_ns.value_or(0);
}

}  // namespace
}  // namespace clock

extern const CauseRule clock_cause;
const CauseRule clock_cause{"clock", clock::claim_clock};

}  // namespace sonde::gate
