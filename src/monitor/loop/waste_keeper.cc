#include "monitor/loop/waste_keeper.h"

namespace sonde::monitor::loop {
namespace {

constexpr int64_t kNsPerDay = 86400LL * 1'000'000'000;
/// What a crash can lose of the ledger.
constexpr int64_t kSaveEveryNs = 300LL * 1'000'000'000;

}  // namespace

WasteKeeper::WasteKeeper(History& history, bool sees_all_processes) : history_(history), ledger_(sees_all_processes) {
  ledger_.restore(history.waste());
}

void WasteKeeper::take(int64_t moment_ns, std::span<const GpuSample> samples, const Processes& processes,
                       const config::Sonde& config) {
  ledger_.take(moment_ns, samples, processes, config.cost);
  const bool new_day = moment_ns_ / kNsPerDay != moment_ns / kNsPerDay;
  moment_ns_ = moment_ns;
  if (saved_ns_ == 0) saved_ns_ = moment_ns;
  if (moment_ns - saved_ns_ >= kSaveEveryNs || moment_ns < saved_ns_) save();
  if (new_day) forget(moment_ns - static_cast<int64_t>(config.history.days * static_cast<double>(kNsPerDay)));
}

/// Only days that can still have changed.
void WasteKeeper::save() {
  std::map<int64_t, std::vector<WasteEntry>> latest;
  for (const auto& [day, entries] : days()) {
    if (day + 2 * kNsPerDay > moment_ns_) latest[day] = entries;
  }
  if (!latest.empty()) history_.save(latest);
  saved_ns_ = moment_ns_;
}

void WasteKeeper::forget(int64_t before_ns) {
  if (days().empty() || days().begin()->first >= before_ns) return;
  auto kept = days();
  kept.erase(kept.begin(), kept.lower_bound(before_ns));
  ledger_.restore(std::move(kept));
}

}  // namespace sonde::monitor::loop
