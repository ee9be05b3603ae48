#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/simulated/source.h"
#include "dispatch/engine.h"
#include "dispatch/gpu_state.h"

namespace sonde::dispatch::simulation {

/// An attempt on simulated GPUs.
struct VirtualRun {
  int64_t task = 0;
  int64_t attempt = 1;
  std::vector<size_t> gpus;
  int64_t work_ns = 0;  ///< run time on a GPU of speed 1 that it has for itself
  int64_t memory_bytes = 0;
  double utilization = 0;
  std::optional<double> fails_at;  ///< share of its work
  std::optional<int64_t> limit_ns;
};

/// Simulated GPUs and the tasks on them, on a virtual clock: what the executor, the keepers and the monitor are in the
/// service. Tasks that share a GPU whose utilization would pass 100 % share its time; a task on several GPUs goes at
/// the pace of the slowest. A task takes half of its memory when it starts and all of it after a tenth of its work; it
/// ends with out_of_memory where the GPU has not got that much left then.
class VirtualHost {
 public:
  /// Moments are `start_ns` and later.
  VirtualHost(const device::simulated::HostDescription& host, std::map<std::string, double> speeds, int64_t start_ns);

  void start(const VirtualRun& run, int64_t now_ns);
  void cancel(int64_t task, int64_t now_ns);
  /// When the next one ends or takes more memory; absent: nothing runs.
  [[nodiscard]] std::optional<int64_t> next_ns() const;
  /// Goes on to a moment, next_ns() at the latest; what ended there.
  [[nodiscard]] std::vector<EndReport> advance(int64_t now_ns);
  /// Reads the GPUs as the monitor does.
  void sample(int64_t now_ns);
  [[nodiscard]] const std::vector<GpuState>& gpus() const { return states_; }
  [[nodiscard]] std::vector<Holding> holdings() const;

  [[nodiscard]] size_t running() const { return runs_.size(); }
  [[nodiscard]] double use(size_t gpu) const;  ///< share of its time that tasks take
  [[nodiscard]] int64_t held_bytes(size_t gpu) const { return held_[gpu]; }
  [[nodiscard]] int64_t tasks(size_t gpu) const { return tasks_[gpu]; }
  /// The most memory that the attempt held; 0 where it did not run.
  [[nodiscard]] int64_t held_by(int64_t task) const;
  [[nodiscard]] std::optional<size_t> place_of(const std::string& uuid) const;

 private:
  struct Run {
    VirtualRun run;
    int64_t started_ns = 0;
    double done = 0;  ///< share of its work
    double pace = 0;  ///< share of its work a nanosecond
    int64_t held_bytes = 0;
    bool grown = false;
    std::optional<EndCause> ended;
    std::string message;
  };
  [[nodiscard]] static double goal(const Run& run);
  [[nodiscard]] int64_t goal_ns(const Run& run) const;
  bool hold(Run& run, int64_t bytes);
  void reach(Run& run, int64_t now_ns);
  void leave(const Run& run);
  void set_paces();
  [[nodiscard]] bool is_lost(const Run& run) const;
  void read(size_t gpu, int64_t now_ns);

  std::shared_ptr<int64_t> clock_ns_;  ///< since the start, for the source
  device::simulated::Source source_;
  int64_t start_ns_;
  int64_t now_ns_;
  std::vector<GpuState> states_;
  std::vector<double> speeds_;
  std::vector<double> load_;          ///< sum of utilizations, of tasks
  std::vector<double> foreign_load_;  ///< of what the description lets run
  std::vector<int64_t> held_;
  std::vector<int64_t> tasks_;
  std::map<int64_t, Run> runs_;  ///< by task
};

}  // namespace sonde::dispatch::simulation
