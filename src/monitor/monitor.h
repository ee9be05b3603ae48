#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "config/live.h"
#include "monitor/alerts.h"
#include "monitor/event_log.h"
#include "monitor/history.h"
#include "monitor/incident.h"
#include "monitor/owner.h"
#include "monitor/sample.h"

namespace sonde::monitor {

enum class Health { ok, warning, critical };
[[nodiscard]] std::string_view health_name(Health health);

/// A GPU as the service knows it. What it said before it failed stays in the sample, marked stale or absent.
struct GpuView {
  size_t index = 0;  ///< gpu_N
  std::string uuid;  ///< "gpu_N" where the GPU has never been read
  std::string name;
  GpuSample sample;
  Health health = Health::ok;  ///< the worst of its open incidents
  std::vector<OwnedProcess> processes;
};

/// How the monitoring itself does.
struct MonitorState {
  int64_t rounds = 0;
  int64_t failed_rounds = 0;  ///< in which the source could not be read at all
  int64_t last_success_ns = 0;
  double last_duration_s = 0;
  int64_t source_openings = 0;
  std::string source_trouble;   ///< why there is no source now; empty where there is
  std::string history_trouble;  ///< History::trouble()
  AlertCounts alerts;
};

/// XIDs of one GPU since the service started, by code.
struct XidCount {
  size_t gpu = 0;
  int64_t xid = 0;
  int64_t count = 0;
  int64_t last_ns = 0;
};

/// All that is known at one moment. Immutable: whoever answers a request reads this and never a GPU.
struct HostSnapshot {
  int64_t moment_ns = 0;
  device::SourceInfo source;
  std::vector<GpuView> gpus;
  std::vector<Incident> open;
  std::vector<XidCount> xids;
  std::map<int64_t, std::vector<WasteEntry>> waste;  ///< by day
  MonitorState state;
};

/// What the monitor uses of the world.
struct MonitorParts {
  config::LiveConfig* config = nullptr;
  Log* log = nullptr;
  History* history = nullptr;
  EventLog* events = nullptr;
  AlertSender* alerts = nullptr;  ///< null: no alerts
  ProcessOwners* owners = nullptr;
  std::function<Result<std::shared_ptr<device::DeviceSource>>()> open_source;  ///< can block
  std::function<int64_t()> now_ns;                                             ///< since 1970
};

/// Reads the GPUs at the configured interval from threads of its own, marks, keeps, judges and tells. A GPU that hangs
/// or is lost leaves the others alone; a source that cannot be opened, or whose library went away, is opened again.
class Monitor {
 public:
  [[nodiscard]] static std::unique_ptr<Monitor> make(MonitorParts parts);
  virtual ~Monitor() = default;

  /// Begins; stop() waits for the round that runs, though not for a GPU that hangs.
  virtual void start() = 0;
  virtual void stop() = 0;
  /// One round now, for tests and `sonde top`; not beside start().
  virtual void round() = 0;

  [[nodiscard]] virtual std::shared_ptr<const HostSnapshot> snapshot() const = 0;  ///< never null
  /// `callback` is called after each new snapshot of a round, from the monitor's thread; it must be quick. Before
  /// start().
  virtual void on_round(std::function<void()> callback) { (void)callback; }
  /// Somebody waits for what use and memory are now: they are read before the next round, though not more often than
  /// ten times a second. Such a look makes no history, incidents or alerts.
  virtual void look_soon() {}
  /// What somebody else sees wrong with GPUs from now on, in the place of what was told before. Thread-safe.
  virtual void report(std::vector<Reported> troubles) { (void)troubles; }
  /// False where there is no such open incident.
  [[nodiscard]] virtual bool acknowledge(int64_t incident, const std::string& by) = 0;
  [[nodiscard]] virtual bool clear(int64_t incident, const std::string& by) = 0;
};

}  // namespace sonde::monitor
