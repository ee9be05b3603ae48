#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "monitor/detector.h"

/// Anomalies are judged by the minute: sensors are noisy by the second, and nobody acts within one.
namespace sonde::monitor {

/// Mean and range of what was measured; nothing where nothing was.
class Mean {
 public:
  void add(std::optional<double> value);
  [[nodiscard]] std::optional<double> value() const;
  [[nodiscard]] std::optional<double> lowest() const;

 private:
  double sum_ = 0;
  double lowest_ = 0;
  int64_t count_ = 0;
};

/// One GPU over one minute of the clock.
struct Minute {
  int64_t begin_ns = 0;
  Mean utilization;         ///< percent
  Mean memory_utilization;  ///< percent
  Mean watts;
  Mean celsius;
  Mean memory_celsius;
  Mean clock_mhz;
  int64_t reasons_any = 0;           ///< clock bits that were set in some sample
  int64_t reasons_all = ~int64_t{};  ///< in all of them
  bool reasons_known = true;
  std::optional<double> limit_watts;  ///< in force; as all below, at the minute's end
  std::optional<double> pcie_width;
  std::optional<double> memory_used_bytes;
  std::optional<double>
      unexplained_bytes;        ///< memory that no listed process holds; absent if a process does not report its memory
  std::optional<bool> held;     ///< a process is listed
  bool sees_processes = false;  ///< some process was listed on some GPU since the start
  int64_t work_since_ns = 0;    ///< since when the same processes run

  /// A kernel ran nearly all the time, in all samples of the minute.
  [[nodiscard]] bool busy() const;
};

/// Minutes of all GPUs of the host, made of rounds.
class Minutes {
 public:
  /// Takes a round; true where a minute is over: ended() has it then.
  [[nodiscard]] bool take(const Round& round);
  /// By GPU, in the source's order; nothing where a GPU gave no fresh sample in that minute.
  [[nodiscard]] std::span<const std::optional<Minute>> ended() const { return ended_; }

 private:
  struct Work {
    std::vector<int64_t> pids;
    int64_t since_ns = 0;
  };
  void add(const GpuSample& sample, int64_t begin_ns);

  int64_t begin_ns_ = 0;
  std::vector<std::optional<Minute>> running_;
  std::vector<std::optional<Minute>> ended_;
  std::vector<Work> work_;
  bool sees_processes_ = false;
};

}  // namespace sonde::monitor
