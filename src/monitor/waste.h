#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "monitor/owner.h"
#include "monitor/sample.h"

namespace sonde::monitor {

/// Ways in which GPU time is paid for and not used.
enum class WasteKind {
  held_idle,    ///< a process holds memory and nothing runs
  dead_memory,  ///< memory is held, and no living process holds it
  unused        ///< nothing runs and nobody holds it
};
[[nodiscard]] std::string_view waste_name(WasteKind kind);

/// What was wasted of one GPU by one owner since the ledger began.
struct WasteEntry {
  std::string gpu_uuid;
  WasteKind kind = WasteKind::held_idle;
  std::string user;  ///< empty for dead memory and unused GPUs
  std::string container;
  double hours = 0;       ///< of the GPU
  double energy_kwh = 0;  ///< that it drew meanwhile
  double money = 0;       ///< by config::Cost; 0 where nothing is priced
  int64_t since_ns = 0;
  int64_t until_ns = 0;
};

/// Adds up waste over rounds. One thread. Days of 24 h since 1970 (UTC), so that a page can show a week.
class WasteLedger {
 public:
  /// Adds the time since the last round, unless that is longer than `longest_gap_ns`: nobody looked then.
  void take(int64_t moment_ns, std::span<const GpuSample> samples, std::span<const std::vector<OwnedProcess>> processes,
            const config::Cost& cost);
  /// By day (first nanosecond since 1970), then by entry.
  [[nodiscard]] const std::map<int64_t, std::vector<WasteEntry>>& days() const { return days_; }
  /// Takes back what was saved before a restart.
  void restore(std::map<int64_t, std::vector<WasteEntry>> days) { days_ = std::move(days); }

 private:
  std::map<int64_t, std::vector<WasteEntry>> days_;
  int64_t last_ns_ = 0;
};

}  // namespace sonde::monitor
