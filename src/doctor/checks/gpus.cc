#include <array>
#include <numeric>

#include "device/fields.h"
#include "device/parallel_reader.h"
#include "doctor/facts.h"

namespace sonde::doctor {
namespace gpus {
namespace {

using device::GpuReading;

constexpr std::chrono::milliseconds kTimeout{10'000};

/// A member of GpuReading in nvidia-smi's words.
std::string words_of(std::string_view field, const GpuReading& reading) {
  const auto row = device::find_field(field);
  return row ? device::field_text(**row, reading, true) : std::string();
}

void look_at_health(const std::string& gpu, const GpuReading& reading, Findings& found) {
  constexpr std::array kFixes = {"", "sudo nvidia-smi --gpu-reset -i ", "sudo reboot", "stop programs that use NVLink",
                                 "stop all programs on it, then: sudo nvidia-smi --gpu-reset -i "};
  if (const int64_t action = reading.recovery_action.value_or(0); action > 0) {
    std::string fix = static_cast<size_t>(action) < kFixes.size() ? kFixes.at(static_cast<size_t>(action)) : "";
    if (fix.ends_with("-i ")) fix += gpu;
    found.say(Outcome::wrong, "gpu_recovery", {gpu, words_of("gpu_recovery_action", reading), fix});
  }
  if (reading.remapped_rows_failure.value_or(false)) found.say(Outcome::wrong, "gpu_remap_failed", {gpu});
  if (reading.remapped_rows_pending.value_or(false)) found.say(Outcome::wrong, "gpu_remap_pending", {gpu});
  if (const int64_t errors = reading.ecc_uncorrected_volatile_total.value_or(0); errors > 0) {
    found.say(Outcome::wrong, "gpu_ecc", {gpu, std::to_string(errors)});
  }
}

void look_at_settings(const std::string& gpu, const GpuReading& reading, Findings& found) {
  if (reading.compute_mode.value_or(0) != 0) {
    found.say(Outcome::note, "gpu_compute_mode", {gpu, words_of("compute_mode", reading)});
  }
  if (!reading.persistence_mode.value_or(true)) found.say(Outcome::note, "gpu_persistence", {gpu});
  if (reading.mig_mode && reading.mig_mode_pending && reading.mig_mode != reading.mig_mode_pending) {
    found.say(Outcome::note, "gpu_mig_pending", {gpu});
  }
  const auto lanes = reading.pcie_width;
  const auto max = reading.pcie_max_width;
  if (lanes && max && *lanes < *max) {
    found.say(Outcome::note, "gpu_pcie_width",
              {gpu, std::to_string(*lanes), std::to_string(*max), reading.pci_bus_id.value_or("BUS")});
  }
}

void look_at(size_t index, const device::GpuState& state, Findings& found) {
  const std::string gpu = std::to_string(index);
  if (state.failure) {
    found.say(Outcome::wrong, "gpu_failed", {gpu, state.failure->message});
    return;
  }
  const GpuReading& reading = state.reading;
  const std::string memory = reading.memory_total_bytes ? bytes_in_words(*reading.memory_total_bytes) : "-";
  found.say(Outcome::good, "gpu", {gpu, reading.name.value_or("-"), memory});
  look_at_health(gpu, reading, found);
  look_at_settings(gpu, reading, found);
}

void look(const Host& host, Findings& found) {
  if (!host.gpus()) {
    found.say(Outcome::not_checked, "no_gpus", {"no driver found"});
    return;
  }
  device::ParallelReader reader(*host.gpus());
  std::vector<size_t> all(reader.gpu_count());
  std::iota(all.begin(), all.end(), size_t{0});
  const auto states = reader.read(all, device::identity | device::fast | device::slow, kTimeout);
  for (size_t i = 0; i < states.size(); ++i) look_at(i, states[i], found);
}

}  // namespace
}  // namespace gpus

extern constinit const Check gpus_check{"gpus", "each GPU: whether it responds, its health and its settings",
                                        gpus::look};

}  // namespace sonde::doctor
