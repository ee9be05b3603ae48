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

/// What tasks of each type took so far. One thread.
class Estimates {
 public:
  void learn(const Measured& measured);
  /// Nothing before three tasks of the type were measured.
  [[nodiscard]] std::optional<MemoryEstimate> memory(std::string_view type) const;
  /// On GPUs of that name; of any where too few ran on those; nothing before three.
  [[nodiscard]] std::optional<RunTimeEstimate> run_time(std::string_view type, std::string_view gpu_name) const;
  /// Tasks a second of the type on GPUs of that name against the fastest: 1 for it. Nothing where it is not known.
  [[nodiscard]] std::optional<double> speed(std::string_view type, std::string_view gpu_name) const;
  /// Run times of the last tasks, for drawing from; empty where none is known.
  [[nodiscard]] std::span<const int64_t> run_times(std::string_view type, std::string_view gpu_name) const;

 private:
  struct OfType {
    std::vector<int64_t> peaks;                                       ///< the last 200
    int64_t highest_out_of_memory = 0;                                ///< reservation that did not suffice
    std::map<std::string, std::vector<int64_t>, std::less<>> run_ns;  ///< by name of GPU; "" of all
  };
  std::map<std::string, OfType, std::less<>> types_;
};

}  // namespace sonde::dispatch
