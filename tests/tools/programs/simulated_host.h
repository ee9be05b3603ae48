#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "monitor/detector.h"

/// Simulates weeks of a host with 8 GPUs for a monitor: jobs of all kinds, the room's air, noisy sensors, and one
/// fault.
namespace simulated_host {

inline constexpr size_t kGpus = 8;

enum class Fault {
  none,
  cooling,           ///< thermal resistance +20 %
  cooling_slow,      ///< +25 %, reached within 4 days
  clock_stuck,       ///< at most 1500 MHz, no reason given
  power_cap,         ///< limit lowered to 75 %, and told
  power_cap_hidden,  ///< the same, and the reported limit is unchanged
  slow_equal,        ///< clock 10 % lower than the others', from the beginning
  memory_heat,       ///< memory hotter by 9 °C, reached within 12 hours
  dead_memory,       ///< 20 GiB stay when a job ends
  idle_power,        ///< 35 W more in idle
  pcie_half          ///< 8 lanes of 16
};

struct Plan {
  uint64_t seed = 0;
  double days = 14;
  int64_t interval_s = 10;
  Fault fault = Fault::none;
  size_t faulty_gpu = 0;
  double fault_day = 0;
};

/// A process over some GPUs.
struct Job {
  enum class Kind { training, inference, notebook };
  Kind kind = Kind::training;
  int64_t begin_s = 0;
  int64_t end_s = 0;
  int64_t pid = 0;
  double full_watts = 0;  ///< that it would draw at the highest clock
  double memory_percent = 0;
  int64_t memory_bytes = 0;
  int64_t checkpoint_every_s = 0;
  int64_t checkpoint_s = 0;
};

/// Noise that wanders about 0.
class Drift {
 public:
  Drift(double deviation, double time_constant_s) : deviation_(deviation), time_constant_s_(time_constant_s) {}
  double step(double normal, double seconds);

 private:
  double deviation_;
  double time_constant_s_;
  double value_ = 0;
};

class Host {
 public:
  explicit Host(const Plan& plan);
  /// The next round; false after the last one. Rounds in which nothing was read are left out.
  bool next(sonde::monitor::Round& round);

 private:
  struct Gpu {
    double resistance = 0;  ///< °C / W
    double slot_celsius = 0;
    double silicon = 1;
    double idle_watts = 0;
    double celsius = 40;
    double watts = 70;
    int64_t dead_bytes = 0;
    std::vector<Job> jobs;  ///< one after another
    size_t job = 0;
    Drift wander{0.5, 10800};
    Drift load{0.05, 600};
  };
  double uniform(double low, double high);
  double normal();
  void make_jobs();
  void make_group(const std::vector<size_t>& gpus, int64_t from_s, int64_t to_s);
  [[nodiscard]] Job make_job(int64_t begin_s, double hours);
  [[nodiscard]] const Job* job_of(Gpu& gpu, size_t index);
  [[nodiscard]] double utilization(const Job* job, Gpu& gpu);
  void move(size_t index);
  void fill(size_t index, const Job* job, double use, double clock, int64_t reasons);
  [[nodiscard]] double fault_share(size_t index, double over_days) const;
  void outages();

  Plan plan_;
  std::mt19937_64 random_;
  sonde::config::Config config_;
  std::array<Gpu, kGpus> gpus_;
  std::vector<sonde::monitor::GpuSample> samples_;
  int64_t now_s_ = 0;
  int64_t outage_until_s_ = 0;
  int64_t hot_room_until_s_ = 0;
  double air_celsius_ = 25;
  double fans_ = 1;
  Drift air_{1, 7200};
  Drift fan_{0.03, 3600};
};

}  // namespace simulated_host
