#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "monitor/incident.h"
#include "monitor/sample.h"
#include "monitor/waste.h"

namespace sonde::monitor {

/// A value that is kept over time: history/values.inc.
struct HistoryValue {
  std::string_view name;  ///< "gpu_utilization_percent": as in device/values.inc
  std::string_view unit;
  std::string_view description;
};
[[nodiscard]] std::span<const HistoryValue> history_values();

/// Values of one GPU over time: points of equal length, the last one may not be over yet. NaN where nothing was
/// measured.
struct HistorySeries {
  std::string_view value;
  std::vector<double> minimum;
  std::vector<double> mean;
  std::vector<double> maximum;
};
struct HistoryRange {
  int64_t resolution_ns = 0;
  std::vector<int64_t> moments_ns;  ///< where each point begins, since 1970
  std::vector<HistorySeries> series;
};

struct HistoryQuery {
  std::string gpu_uuid;
  std::vector<std::string> values;  ///< empty: all
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  int64_t resolution_ns = 0;  ///< 0: that of the finest data, at most `max_points`
  int64_t max_points = 2000;
};

/// Samples of the last hour or so in memory, one-minute minimum, mean and maximum in SQLite. Thread-safe.
class History {
 public:
  /// `folder`: of history.db, made where it is missing; empty: memory only. A database that is broken is set aside
  /// (renamed) and said in `notes`; it never keeps the service from starting.
  [[nodiscard]] static Result<std::unique_ptr<History>> open(const std::string& folder, const config::History& options,
                                                             std::vector<std::string>& notes);
  virtual ~History() = default;

  virtual void add(int64_t moment_ns, std::span<const GpuSample> samples) = 0;
  [[nodiscard]] virtual Result<HistoryRange> query(const HistoryQuery& query) const = 0;

  virtual void save(const Incident& incident) = 0;
  /// The newest first: `before_id` 0 for all. Filters that are empty let all pass.
  [[nodiscard]] virtual Result<std::vector<Incident>> incidents(std::string_view gpu_uuid, bool open_only,
                                                                int64_t before_id, int64_t max) const = 0;
  virtual void save(const std::map<int64_t, std::vector<WasteEntry>>& days) = 0;
  [[nodiscard]] virtual std::map<int64_t, std::vector<WasteEntry>> waste() const = 0;

  /// Writes what is not written yet: minutes that are over, and the one that is not.
  virtual void flush() = 0;
  /// What last went wrong with the database (disk full, read-only); empty when it works. History in memory continues.
  [[nodiscard]] virtual std::string trouble() const = 0;
};

}  // namespace sonde::monitor
