#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "monitor/sample.h"

namespace sonde::monitor {

struct Incident;

enum class Severity { info, warning, critical };
[[nodiscard]] std::string_view severity_name(Severity severity);

/// A named value in a text for people.
struct Argument {
  std::string name;
  std::string value;  ///< with its unit, as it is shown
};

/// That something is wrong with a GPU now.
struct Observation {
  size_t gpu = 0;
  std::string subject =
      {};  ///< distinguishes incidents of one detector on one GPU: "79", "link 3"; empty for one alone
  Severity severity = Severity::warning;
  std::string text;  ///< id in texts_en.inc: "gpu_hot", with `.summary` and `.action` behind it
  std::vector<Argument> arguments = {};
  std::vector<int64_t> xids = {};  ///< that belong to it, the cause first
  int64_t happened = 0;            ///< how often in this round; 0 for a condition that lasts
};

/// That somebody beside the monitor sees something wrong with a GPU now: who runs tasks there.
struct Reported {
  std::string detector;  ///< whose incident it is
  Observation seen;
};

/// One round, as detectors see it. Moments are nanoseconds since 1970; tests set them, so nothing here sleeps.
struct Round {
  int64_t moment_ns = 0;
  std::span<const GpuSample> samples;        ///< of all GPUs, in the source's order
  std::span<const device::GpuEvent> events;  ///< since the round before
  const config::Config* config = nullptr;
  bool source_reopened = false;             ///< the driver was loaded again since the round before: counters began anew
  std::span<const Reported> reported = {};  ///< what others see now
};

/// Looks for one kind of trouble, over all GPUs of the host. Keeps what it needs of earlier rounds, hysteresis
/// included: what it says in a round holds now, what it does not say any more is over.
class Detector {
 public:
  virtual ~Detector() = default;
  virtual void look(const Round& round, std::vector<Observation>& found) = 0;
  /// Told once, before the first round: its incidents that were open when the service ended, and when the host started
  /// (nanoseconds since 1970). Those whose rule does not end by time go on from there.
  virtual void restore(std::span<const Incident> /*open*/, int64_t /*booted_ns*/) {}
};

/// A detector as a row: detectors/list.inc, one file each.
struct DetectorRow {
  std::string_view name;         ///< of its incidents: "gpu_hot"
  std::string_view description;  ///< one line
  double clear_after_s = 60;     ///< how long an incident stays open after its last observation
  std::unique_ptr<Detector> (*make)() = nullptr;
  std::string_view severity = {};  ///< for docs/serve/incidents.md: "warning; critical from 5 °C more"
  std::string_view clears = {};    ///< the same: when it is over
};

/// All of detectors/list.inc.
[[nodiscard]] std::span<const DetectorRow* const> detector_rows();

}  // namespace sonde::monitor
