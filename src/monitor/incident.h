#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/detector.h"

namespace sonde::monitor {

/// A trouble of a GPU from its first observation until it is over.
struct Incident {
  int64_t id = 0;  ///< grows, also over restarts
  std::string detector;
  std::string gpu_uuid;
  int64_t gpu_index = 0;
  std::string subject;
  Severity severity = Severity::warning;  ///< the worst so far
  std::string summary;                    ///< what is wrong, in one sentence
  std::string action;                     ///< what to do, in one sentence
  std::vector<Argument> arguments;
  std::vector<int64_t> xids;  ///< that belong to it, the cause first, sympathetic ones after it
  int64_t opened_ns = 0;
  int64_t last_seen_ns = 0;
  std::optional<int64_t> cleared_ns;
  std::string cleared_by;  ///< rule or key's name; empty while it is open
  int64_t times_seen = 0;
  std::optional<int64_t> acknowledged_ns;
  std::string acknowledged_by;
  bool simulated = false;
};

enum class IncidentChange { opened, changed, cleared, acknowledged };
[[nodiscard]] std::string_view change_name(IncidentChange change);

/// One change of an incident, as reported to the event stream, the log and alerts.
struct IncidentNews {
  IncidentChange change = IncidentChange::opened;
  Incident incident;
};

/// Makes incidents of what detectors say. One thread; its owner saves what it says and gives it back at the next start.
/// A trouble that comes back soon opens its incident again, under the same id. One that a person cleared stays silent
/// until it was over once, or happens again.
class IncidentBook {
 public:
  /// `open`: incidents that were open when the service ended; ids go on after `last_id`.
  explicit IncidentBook(std::vector<Incident> open = {}, int64_t last_id = 0);

  /// Before the observations of a round, where known() is asked for: learns who the GPUs are.
  void begin(const Round& round);
  /// The incident that this belongs to: open, or cleared by a person while it went on. Null where there is none.
  [[nodiscard]] const Incident* known(const DetectorRow& row, const Observation& seen) const;
  /// Observations of one round of one detector. What it does not observe any more is cleared after its time.
  [[nodiscard]] std::vector<IncidentNews> take(const DetectorRow& row, const Round& round,
                                               std::span<const Observation> found);
  /// Nothing where there is no such open incident.
  [[nodiscard]] std::optional<IncidentNews> acknowledge(int64_t id, const std::string& by, int64_t moment_ns);
  [[nodiscard]] std::optional<IncidentNews> clear(int64_t id, const std::string& by, int64_t moment_ns);
  [[nodiscard]] const std::vector<Incident>& open() const { return open_; }

 private:
  /// Beside each open incident.
  struct Kept {
    std::string text = {};    ///< id of its texts
    int64_t reported_ns = 0;  ///< when a change was last reported
    int64_t seen_ns = 0;      ///< from here its time to be cleared runs
    int64_t times_reopened = 0;
    bool restored = false;    ///< from before the restart, and not seen since
    bool unreported = false;  ///< it happened again since the last report
  };
  /// One that is over, or that a person cleared while it went on.
  struct Past {
    Incident incident;
    Kept kept;
    bool silent = false;
  };

  void follow_clock(int64_t moment_ns);
  void learn_identities(const Round& round);
  [[nodiscard]] std::string uuid_of(size_t gpu) const;
  [[nodiscard]] size_t open_place(const DetectorRow& row, const std::string& uuid, const std::string& subject) const;
  [[nodiscard]] bool is_silent(const DetectorRow& row, const Round& round, const Observation& seen);
  void open_one(const DetectorRow& row, const Round& round, const Observation& seen, std::vector<IncidentNews>& news);
  void see_again(size_t place, const Round& round, const Observation& seen, std::vector<IncidentNews>& news);
  void clear_unseen(const DetectorRow& row, const Round& round, std::vector<IncidentNews>& news);
  IncidentNews close(size_t place, const std::string& by, int64_t moment_ns, bool silent);
  void forget_old(int64_t moment_ns);

  std::vector<Incident> open_;
  std::vector<Kept> kept_;  ///< in the order of open_
  std::vector<Past> past_;
  std::vector<std::string> uuids_;  ///< by GPU; empty where it is not known yet
  int64_t last_id_ = 0;
};

}  // namespace sonde::monitor
