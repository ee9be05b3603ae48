#pragma once

#include "monitor/history.h"
#include "monitor/loop/views.h"
#include "monitor/waste.h"

namespace sonde::monitor::loop {

/// The ledger of waste with its place in the history: goes on after a restart, is saved each few minutes. One thread.
class WasteKeeper {
 public:
  WasteKeeper(History& history, bool sees_all_processes);

  void take(int64_t moment_ns, std::span<const GpuSample> samples, const Processes& processes,
            const config::Sonde& config);
  void save();
  [[nodiscard]] const std::map<int64_t, std::vector<WasteEntry>>& days() const { return ledger_.days(); }

 private:
  void forget(int64_t before_ns);

  History& history_;
  WasteLedger ledger_;
  int64_t saved_ns_ = 0;
  int64_t moment_ns_ = 0;
};

}  // namespace sonde::monitor::loop
