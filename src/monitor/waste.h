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

struct Wasted;

/// Ways in which GPU time is paid for and not used.
enum class WasteKind {
  held_idle,    ///< a process holds memory and nothing runs
  dead_memory,  ///< memory is held, and no living process holds it
  unused        ///< nothing runs and no process holds memory
};
[[nodiscard]] std::string_view waste_name(WasteKind kind);

/// What was wasted of one GPU by one owner since the ledger began.
struct WasteEntry {
  std::string gpu_uuid;
  WasteKind kind = WasteKind::held_idle;
  std::string user;  ///< empty for dead memory and unused GPUs
  std::string container;
  double hours = 0;       ///< of the GPU
  double energy_kwh = 0;  ///< energy consumed in that time
  double money = 0;       ///< by config::Cost; 0 where nothing is priced
  int64_t since_ns = 0;
  int64_t until_ns = 0;
};

/// Adds up waste over rounds. One thread. Days of 24 h since 1970 (UTC), so that a page can show a week.
///
/// At each moment the kinds share a GPU between them, so that hours of a GPU never add up to more than the time:
/// memory that is dead takes its share of the GPU's memory, the rest is held or unused where the GPU is idle. Energy
/// and money follow the same shares; dead memory of a GPU that works costs its share of the hours and no energy, which
/// goes into the work. Who holds an idle GPU together, each user and container, bears an equal part: one of them would
/// keep it from others just as well.
///
/// Time counts where a sample at its beginning and one at its end say the same; what a sample does not tell (no
/// utilization, no power, stale, contradictory) counts for nothing. waste/rules.h has the thresholds.
class WasteLedger {
 public:
  /// Nobody looked for longer than this: the time is not counted, and idle time begins anew.
  static constexpr int64_t longest_gap_ns = 600'000'000'000;

  /// `sees_all_processes`: ProcessOwners::sees_all(). Without it memory is called dead only once a process of any GPU
  /// was found in /proc: a container that sees no processes would take all memory for dead. What is held by nobody that
  /// can be seen is then held by an unknown user.
  explicit WasteLedger(bool sees_all_processes = false) : sees_processes_(sees_all_processes) {}

  /// Adds the time since the last round, unless that is longer than `longest_gap_ns`.
  void take(int64_t moment_ns, std::span<const GpuSample> samples, std::span<const std::vector<OwnedProcess>> processes,
            const config::Cost& cost);
  /// By day (first nanosecond since 1970), then by entry.
  [[nodiscard]] const std::map<int64_t, std::vector<WasteEntry>>& days() const { return days_; }
  /// Takes back what was saved before a restart.
  void restore(std::map<int64_t, std::vector<WasteEntry>> days) { days_ = std::move(days); }

 private:
  struct Owner {
    WasteKind kind = WasteKind::held_idle;
    std::string user;
    std::string container;
    auto operator<=>(const Owner&) const = default;
  };
  struct Running {  ///< waste that goes on
    int64_t since_ns = 0;
    std::map<int64_t, WasteEntry> waiting;  ///< by day; counted only if it lasts
  };
  struct Gpu {
    int64_t last_ns = 0;
    std::map<Owner, Running> running;
  };

  void add(const std::string& uuid, Gpu& gpu, int64_t moment_ns, const Wasted& wasted, const config::Cost& cost);
  void book(int64_t day, const WasteEntry& entry);

  bool sees_processes_ = false;
  std::map<int64_t, std::vector<WasteEntry>> days_;
  std::map<std::string, Gpu> gpus_;  ///< by UUID
};

}  // namespace sonde::monitor
