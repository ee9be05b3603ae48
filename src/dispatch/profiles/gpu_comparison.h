#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dispatch/estimates.h"

namespace sonde::dispatch::profiles {

/// A GPU on which tasks of a type take longer than on its equals.
struct SlowGpu {
  double ratio = 1;
  int64_t median_ns = 0;
  int64_t equals_median_ns = 0;
};

/// Run times of the last tasks of each type on each GPU, against those on other GPUs of the same name. One thread.
class GpuComparison {
 public:
  /// Of an attempt that had one GPU and succeeded; others say nothing.
  void learn(const Measured& measured);
  /// Whether the GPU is slow for the type, as of its last task. `was_slow`: it stays so until it is clearly not.
  /// Nothing where it is not, or where too little is known.
  [[nodiscard]] std::optional<SlowGpu> judge(const std::string& type, const std::string& uuid, bool was_slow) const;

 private:
  struct Run {
    int64_t ns = 0;
    int64_t ended_ns = 0;
  };
  struct OnGpu {
    std::string name;
    std::deque<Run> runs;  ///< the last ones, the oldest first
  };
  using Gpus = std::map<std::string, OnGpu>;
  [[nodiscard]] static std::vector<int64_t> equals_of(const Gpus& gpus, const std::string& uuid, const OnGpu& own);
  std::map<std::string, Gpus, std::less<>> types_;
};

}  // namespace sonde::dispatch::profiles
