#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/config.h"
#include "dispatch/store.h"

namespace sonde::dispatch::profiles {

inline constexpr std::string_view kSlowTask = "slow task";
inline constexpr std::string_view kSlowGpu = "slow GPU";

/// That the next task of a type is to be recorded.
struct Wish {
  std::string type;
  std::string gpu_uuid;  ///< on that GPU; empty: on any
  std::string why;       ///< kSlowTask, kSlowGpu
  int64_t moment_ns = 0;
};

/// Which attempts are recorded. Requests to workers are not: their worker is, from outside. A task is recorded once:
/// what is tried again after that runs alone. One thread.
class Choice {
 public:
  /// Tasks of the type that started since the last one that was recorded for this reason, before this process.
  using StartedBefore = std::function<int64_t(const std::string& type, const std::string& why)>;
  explicit Choice(StartedBefore started_before) : started_before_(std::move(started_before)) {}

  /// Recordings of before the restart.
  void restore(std::span<const ProfileRecord> records);
  /// Why the last attempt of the task, which is about to start, is recorded; nothing where it is not.
  [[nodiscard]] std::optional<std::string> why(const Task& task, const config::Config& config, int64_t now_ns);
  /// Holds for an hour.
  void wish(Wish wish);
  /// Takes one of the recordings that begin by themselves, within an hour; false where there were enough.
  [[nodiscard]] bool take_one(const config::Config& config, int64_t now_ns);
  [[nodiscard]] bool has_one(const config::Config& config, int64_t now_ns) const;
  /// A recording of the type left no profile: for an hour none but asked ones are made.
  void failed(const std::string& type, int64_t now_ns) { failed_ns_[type] = now_ns; }

 private:
  [[nodiscard]] std::optional<std::string> by_type(const Task& task, const config::Config& config);
  [[nodiscard]] std::optional<std::string> by_wish(const Task& task, const config::Config& config, int64_t now_ns);

  StartedBefore started_before_;
  std::map<std::pair<std::string, std::string>, int64_t> started_;  ///< by type and "every N", since the last one
  std::map<std::string, int64_t> failed_ns_;                        ///< by type
  std::vector<Wish> wishes_;
  std::vector<int64_t> began_ns_;  ///< of those that began by themselves
};

}  // namespace sonde::dispatch::profiles
