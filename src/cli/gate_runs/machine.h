#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/system/subprocess.h"
#include "gate/condition.h"
#include "gate/record/run_record.h"

/// What this machine says of itself while the gate makes its runs.
namespace sonde {

struct GpuState {
  std::string index;
  std::string name;
  std::string uuid;
  std::string driver;
  std::optional<int64_t> celsius;
  std::optional<int64_t> sm_clock_mhz;
  std::optional<int64_t> reasons;    ///< why its clocks are not higher: NVML's bits (nvmlClocksEventReasons)
  std::optional<int64_t> slowed_us;  ///< counters of thermal slowdown and power brake together; absent on older drivers
};

struct MachineState {
  std::vector<GpuState> gpus;      ///< that CUDA_VISIBLE_DEVICES allows
  std::vector<int64_t> processes;  ///< that compute on any GPU
  gate::SessionOfRun session;      ///< now
};

/// GPUs as `nvidia-smi --query-gpu --format=csv,noheader,nounits` prints them, with the columns of gpu_query_columns().
/// Lines that are not understood are left out; what it does not know ("[N/A]") is absent.
[[nodiscard]] std::vector<GpuState> parse_gpu_states(std::string_view csv);
/// Forms of the query, the newest drivers' first.
[[nodiscard]] std::vector<std::string> gpu_query_columns();

/// GPUs by CUDA_VISIBLE_DEVICES: indexes or UUIDs (or their beginnings), joined by commas. All where none fits: MIG
/// devices are named otherwise.
[[nodiscard]] std::vector<GpuState> visible_gpus(std::vector<GpuState> gpus, const char* visible_devices);

/// Why a run between these states must not be averaged with others; empty where nothing is known against it.
[[nodiscard]] std::string slowdown_between(const MachineState& before, const MachineState& after);

/// Of the machine for runs that leave no profile. `cpuinfo`: the text of /proc/cpuinfo.
[[nodiscard]] gate::Conditions machine_conditions(const MachineState& state, std::string_view cpuinfo,
                                                  std::string_view host);
[[nodiscard]] gate::Conditions machine_conditions(const MachineState& state);

/// This moment, and the load before it. `loadavg`: the text of /proc/loadavg.
[[nodiscard]] gate::SessionOfRun session_now(int64_t now_s, std::string_view loadavg);

/// Of the slowest GPU; absent where none tells.
[[nodiscard]] std::optional<int64_t> slowest_sm_clock_mhz(const MachineState& state);

/// "process 4711 began to compute on a GPU": of processes that are not the same before and after a run; empty where all
/// are.
[[nodiscard]] std::string processes_changed(const MachineState& before, const MachineState& after);

/// Asks nvidia-smi; without one, or without a driver, there are no GPUs, and it is not asked again.
class MachineProbe {
 public:
  /// `scratch`: a file that may be written.
  MachineProbe(SubprocessRunner& runner, std::string scratch) : runner_(runner), scratch_(std::move(scratch)) {}
  [[nodiscard]] MachineState state();

 private:
  [[nodiscard]] std::optional<std::string> ask(const std::vector<std::string>& words);
  [[nodiscard]] std::vector<GpuState> gpus();
  SubprocessRunner& runner_;
  std::string scratch_;
  std::vector<std::string> columns_ = gpu_query_columns();  ///< those that may still be understood
};

}  // namespace sonde
