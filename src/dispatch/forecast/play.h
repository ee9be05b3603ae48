#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

/// The queue played forward on a few figures of each task and GPU: fast enough to be done a few dozen times for each
/// forecast.
namespace sonde::dispatch::forecast {

struct PlayGpu {
  bool usable = true;
  int64_t slots = 0;            ///< that are free
  int64_t room_bytes = 0;       ///< likewise; the largest number where the GPU does not say
  int64_t total_bytes = 0;      ///< likewise
  int64_t share_bytes = 0;      ///< kept for a task of which nothing is known
  double utilization = 0;       ///< share; by what runs
  int64_t threshold_bytes = 0;  ///< of room: a GPU with less than this gets no new task (memory_threshold)
};

struct PlayTask {
  std::vector<size_t> allowed = {};        ///< GPUs; empty: any
  int64_t gpus = 1;                        ///< it needs
  std::optional<int64_t> need_bytes = {};  ///< on each of them; absent: their share
  std::span<const int64_t> run_ns = {};    ///< to draw from; not empty
  std::optional<int64_t> limit_ns = {};    ///< of its run
  int64_t gives_up_ns = 0;                 ///< moment at which it leaves the queue
};

struct PlayRunning {
  PlayTask task;
  std::vector<size_t> on;
  int64_t reserved_bytes = 0;
  int64_t started_ns = 0;
};

struct PlayState {
  int64_t now_ns = 0;
  double utilization_threshold = 1;
  double utilization_of_task = 0;  ///< that each task adds to its GPUs
  std::vector<PlayGpu> gpus;
  std::vector<PlayRunning> running;
  std::vector<PlayTask> waiting;  ///< in their order; the last one is the one that is asked for
};

/// When the last one starts, with one draw of run times. Absent: never, as far as it can be seen.
[[nodiscard]] std::optional<int64_t> play(const PlayState& state, std::mt19937_64& random);

}  // namespace sonde::dispatch::forecast
