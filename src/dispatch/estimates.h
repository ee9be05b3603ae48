#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dispatch/task.h"

namespace sonde::dispatch {

/// What an attempt that ended teaches.
struct Measured {
  std::string type;
  std::string gpu_name;
  int64_t gpus = 1;
  std::optional<int64_t> peak_bytes;
  std::optional<int64_t> run_ns;  ///< of one that succeeded
  bool out_of_memory = false;
  int64_t reserved_bytes = 0;
  int64_t ended_ns = 0;
  std::string gpu_uuid = {};  ///< of one that had one GPU; else empty
};

/// Memory that a type takes on a GPU.
struct MemoryEstimate {
  int64_t need_bytes = 0;  ///< that is kept for the next task: at most 1 in 100 takes more
  int64_t median_bytes = 0;
  int64_t spread_bytes = 0;  ///< standard deviation
  int64_t tasks = 0;         ///< it was learned from
};

/// How long tasks of a type run.
struct RunTimeEstimate {
  int64_t low_ns = 0;  ///< 10th percentile
  int64_t median_ns = 0;
  int64_t high_ns = 0;  ///< 90th percentile
  int64_t tasks = 0;
};

/// What tasks of each type took so far: the last 200 of each. One thread.
///
/// The memory that is kept for a task is the bound that fewer than one in 100 of the next tasks pass
/// (estimates/tail_bound.h), at least 5 % more than any of the last 200 tasks took and at most four times that (half
/// more before 20 tasks). After a task ran out of memory it is at least half more than was kept for that one, until 200
/// tasks later.
class Estimates {
 public:
  void learn(const Measured& measured);
  /// Nothing before three tasks of the type were measured.
  [[nodiscard]] std::optional<MemoryEstimate> memory(std::string_view type) const;
  /// On GPUs of that name; of any where too few ran on those; nothing before three.
  [[nodiscard]] std::optional<RunTimeEstimate> run_time(std::string_view type, std::string_view gpu_name) const;
  /// The same of GPUs of that name only.
  [[nodiscard]] std::optional<RunTimeEstimate> run_time_there(std::string_view type, std::string_view gpu_name) const;
  /// Tasks a second of the type on GPUs of that name, by the median run time, against the fastest: 1 for it. Nothing
  /// where it is not known.
  [[nodiscard]] std::optional<double> speed(std::string_view type, std::string_view gpu_name) const;
  /// Run times of the last tasks there, for drawing from, in the order of their ends; of any GPU where too few ran on
  /// those; empty where fewer than three are known.
  [[nodiscard]] std::span<const int64_t> run_times(std::string_view type, std::string_view gpu_name) const;
  /// Likewise of the last tasks of all types.
  [[nodiscard]] std::span<const int64_t> run_times_of_all() const;

 private:
  struct RunTimes {
    std::vector<int64_t> ns;  ///< of the last 200, the oldest first
    RunTimeEstimate estimate;
  };
  struct OfType {
    std::vector<int64_t> peaks;                              ///< of the last 200, the oldest first
    int64_t not_enough_bytes = 0;                            ///< the most that was kept for a task and did not suffice
    int64_t since_not_enough = 0;                            ///< tasks that were measured after it
    std::optional<MemoryEstimate> memory;                    ///< of the above
    std::map<std::string, RunTimes, std::less<>> run_times;  ///< by name of GPU; "" of all
  };
  [[nodiscard]] const RunTimes* run_times_of(std::string_view type, std::string_view gpu_name) const;
  static void learn_memory(OfType& of, const Measured& measured);
  std::map<std::string, OfType, std::less<>> types_;
  std::vector<int64_t> run_ns_of_all_;  ///< the last 200, the oldest first
};

}  // namespace sonde::dispatch
