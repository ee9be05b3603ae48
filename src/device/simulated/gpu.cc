#include "device/simulated/gpu.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace sonde::device::simulated {
namespace {

constexpr int64_t kNs = 1'000'000'000;
// Bits of NVML.
constexpr int64_t kIdle = 0x1;
constexpr int64_t kPowerCap = 0x4;
constexpr int64_t kSlowdown = 0x8;
constexpr int64_t kHwThermal = 0x40;
constexpr int64_t kPowerBrake = 0x80;
/// Hardware slowdowns divide the clock by two or more.
constexpr double kSlowdownShare = 0.5;
constexpr double kReservedShare = 0.00587;  // of 80 GiB on an H100: 479 MiB of 81559 MiB

int64_t rounded(double value) { return std::llround(value); }

}  // namespace

Gpu::Gpu(GpuDescription description, size_t index)
    : description_(std::move(description)),
      index_(index),
      celsius_(description_.ambient_celsius),
      watts_(description_.idle_watts) {
  const double share = description_.idle_watts / description_.limit_watts;
  celsius_ += (description_.full_load_celsius - description_.ambient_celsius) * share;
  settle();
}

void Gpu::advance(int64_t now_ns) {
  while (seconds_ < now_ns / kNs) {
    ++seconds_;
    second();
  }
}

const LoadStep* Gpu::script_step() const {
  int64_t at_ns = seconds_ * kNs;
  if (description_.repeat_ns) at_ns %= *description_.repeat_ns;
  const LoadStep* current = nullptr;
  for (const LoadStep& step : description_.load) {
    if (step.at_ns <= at_ns) current = &step;
  }
  return current;
}

Gpu::Work Gpu::work() const {
  Work all;
  if (const LoadStep* step = script_step()) all = {step->utilization_percent, step->memory_bytes};
  for (const auto& [pid, task] : tasks_) {
    all.utilization_percent += task.utilization_percent;
    all.memory_bytes += task.memory_bytes;
  }
  all.utilization_percent = std::min(all.utilization_percent, 100.0);
  return all;
}

/// What holds the clock down under this load, and the power that is left.
void Gpu::settle() {
  const GpuDescription& d = description_;
  const double load = work().utilization_percent / 100;
  const double wanted = d.idle_watts + load * (d.full_watts - d.idle_watts);
  clock_share_ = 1;
  reasons_ = load == 0 ? kIdle : 0;
  if (wanted > d.limit_watts) {
    reasons_ |= kPowerCap;
    clock_share_ = (d.limit_watts - d.idle_watts) / (wanted - d.idle_watts);
  }
  if (celsius_ >= d.slowdown_celsius) reasons_ |= kSlowdown | kHwThermal;
  if (suffers(FaultKind::power_brake)) reasons_ |= kSlowdown | kPowerBrake;
  if ((reasons_ & kSlowdown) != 0) clock_share_ = std::min(clock_share_, kSlowdownShare);
  watts_ = d.idle_watts + (wanted - d.idle_watts) * clock_share_;
}

/// Power follows load and clock, temperature follows power with one time constant.
void Gpu::second() {
  const GpuDescription& d = description_;
  settle();
  if ((reasons_ & kPowerCap) != 0) ++power_cap_s_;
  if ((reasons_ & kHwThermal) != 0) ++thermal_s_;
  if ((reasons_ & kPowerBrake) != 0) ++brake_s_;
  joules_ += watts_;
  const double goal = d.ambient_celsius + (d.full_load_celsius - d.ambient_celsius) * watts_ / d.limit_watts;
  celsius_ += (goal - celsius_) * (1 - std::exp(-1 / d.time_constant_s));
}

bool Gpu::suffers(FaultKind kind) const {
  const int64_t now_ns = seconds_ * kNs;
  return std::ranges::any_of(description_.faults, [&](const Fault& fault) {
    return fault.kind == kind && fault.at_ns <= now_ns && (!fault.for_ns || now_ns < fault.at_ns + *fault.for_ns);
  });
}

int64_t Gpu::sum_of(FaultKind kind) const {
  int64_t sum = 0;
  for (const Fault& fault : description_.faults) {
    if (fault.kind == kind && fault.at_ns <= seconds_ * kNs) sum += fault.value;
  }
  return sum;
}

std::vector<GpuProcess> Gpu::process_list() const {
  std::vector<GpuProcess> list;
  const LoadStep* const step = script_step();
  if (step != nullptr && step->pid != 0) {
    list.push_back({.pid = step->pid,
                    .memory_used_bytes = step->memory_bytes,
                    .gpu_instance = {},
                    .compute_instance = {},
                    .name = step->process});
  }
  for (const auto& [pid, task] : tasks_) {
    list.push_back({.pid = pid,
                    .memory_used_bytes = task.memory_bytes,
                    .gpu_instance = {},
                    .compute_instance = {},
                    .name = task.name});
  }
  return list;
}

void Gpu::fill(ValueGroups groups, GpuReading& reading) const {
  reading.simulated = true;
  reading.refused.clear();
  if ((groups & identity) != 0) fill_identity(reading);
  if ((groups & fast) != 0) fill_fast(reading);
  if ((groups & slow) != 0) fill_slow(reading);
  if ((groups & processes) != 0) reading.running = process_list();
}

void Gpu::fill_identity(GpuReading& r) const {
  const GpuDescription& d = description_;
  r.index = static_cast<int64_t>(index_);
  const bool says_so = d.name.starts_with("Simulated");
  r.name = says_so ? d.name : d.name + " (simulated)";
  r.uuid = fmt::format("GPU-00000000-0000-0000-0000-{:012x}", index_);
  r.pci_bus_id = fmt::format("00000000:{:02X}:00.0", index_ % 256);
  r.compute_capability = d.compute_capability;
  r.max_sm_clock_mhz = r.max_graphics_clock_mhz = d.sm_clock_mhz;
  r.max_memory_clock_mhz = d.memory_clock_mhz;
  r.power_default_limit_milliwatts = r.power_max_limit_milliwatts = rounded(d.limit_watts * 1000);
}

void Gpu::fill_fast(GpuReading& r) const {
  const GpuDescription& d = description_;
  const Work now = work();
  const auto reserved = rounded(static_cast<double>(d.memory_bytes) * kReservedShare);
  r.gpu_utilization_percent = rounded(now.utilization_percent);
  r.memory_total_bytes = d.memory_bytes;
  r.memory_reserved_bytes = reserved;
  r.memory_used_bytes = std::min(now.memory_bytes, d.memory_bytes - reserved);
  r.memory_free_bytes = d.memory_bytes - reserved - *r.memory_used_bytes;
  r.temperature_celsius = rounded(celsius_);
  r.temperature_margin_celsius = rounded(d.slowdown_celsius - celsius_);
  r.power_draw_milliwatts = r.power_average_milliwatts = r.power_instant_milliwatts = rounded(watts_ * 1000);
  r.power_limit_milliwatts = r.power_enforced_limit_milliwatts = rounded(d.limit_watts * 1000);
  r.energy_millijoules = rounded(joules_ * 1000);
  const bool idle = now.utilization_percent == 0;
  const auto clock = idle ? d.idle_clock_mhz : rounded(static_cast<double>(d.sm_clock_mhz) * clock_share_);
  r.sm_clock_mhz = r.graphics_clock_mhz = clock;
  r.memory_clock_mhz = d.memory_clock_mhz;
  r.clocks_event_reasons = reasons_;
  r.sw_power_cap_ns = power_cap_s_ * kNs;
  r.hw_thermal_slowdown_ns = thermal_s_ * kNs;
  r.hw_power_brake_ns = brake_s_ * kNs;
  r.sync_boost_ns = r.sw_thermal_slowdown_ns = 0;
  r.recovery_action = sum_of(FaultKind::recovery_action);
}

void Gpu::fill_slow(GpuReading& r) const {
  r.ecc_mode = r.ecc_mode_pending = true;
  r.ecc_corrected_volatile_total = r.ecc_corrected_aggregate_total = sum_of(FaultKind::ecc_corrected);
  r.ecc_uncorrected_volatile_total = r.ecc_uncorrected_aggregate_total = sum_of(FaultKind::ecc_uncorrected);
  r.mig_mode = r.mig_mode_pending = false;
  r.compute_mode = 0;
}

}  // namespace sonde::device::simulated
