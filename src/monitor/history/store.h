#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/files/sqlite.h"
#include "monitor/history/minute.h"
#include "monitor/incident.h"
#include "monitor/waste.h"

namespace sonde::monitor::history {

struct GpuMinute {
  std::string gpu_uuid;
  Minute minute;
};

/// Why a database cannot be used.
struct StoreFailure {
  std::string message;
  bool damaged =
      false;  ///< the file is not a valid database: it is moved aside and recreated; other errors may be transient
};
template <typename T>
using Stores = std::expected<T, StoreFailure>;

/// All that waits to be written.
struct Batch {
  std::vector<GpuMinute> minutes;
  std::map<int64_t, Incident> incidents;
  std::map<int64_t, std::vector<WasteEntry>> waste;  ///< days as they are now
  [[nodiscard]] bool empty() const { return minutes.empty() && incidents.empty() && waste.empty(); }
};

/// history.db. One thread at a time.
class Store {
 public:
  /// Made where it is missing.
  [[nodiscard]] static Stores<Store> open(const std::string& path);

  /// All of the batch or nothing of it.
  [[nodiscard]] Stores<void> write(const Batch& batch);
  /// Minutes of [from, to), by growing time.
  [[nodiscard]] Stores<std::vector<Minute>> minutes(const std::string& gpu_uuid, int64_t from, int64_t to) const;
  /// The newest first, below `before_id` where that is not 0.
  [[nodiscard]] Stores<std::vector<Incident>> incidents(std::string_view gpu_uuid, bool open_only, int64_t before_id,
                                                        int64_t max) const;
  [[nodiscard]] Stores<std::map<int64_t, std::vector<WasteEntry>>> waste() const;
  /// Deletes some of what is older than that moment: a few thousand rows a call, so that no one waits for it.
  [[nodiscard]] Stores<void> forget(int64_t before_ns);

 private:
  explicit Store(Database db) : db_(std::move(db)) {}
  [[nodiscard]] Status prepare_tables();
  [[nodiscard]] Result<int64_t> gpu_number(const std::string& uuid);
  [[nodiscard]] Status write_all(const Batch& batch);
  [[nodiscard]] Status write_minutes(const Batch& batch);
  [[nodiscard]] Status write_incidents(const Batch& batch);
  [[nodiscard]] Status write_waste(const Batch& batch);

  Database db_;
  std::map<std::string, int64_t> gpus_;  ///< numbers of UUIDs
};

}  // namespace sonde::monitor::history
