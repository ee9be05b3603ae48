#include "monitor/history/values.h"

#include <algorithm>

#include "monitor/history.h"

namespace sonde::monitor {
namespace history {
namespace {

constexpr auto kRows = std::to_array<HistoryValue>({
#define SONDE_HISTORY_VALUE(number, name, unit, scale, description) {#name, unit, description},
#include "monitor/history/values.inc"
});

constexpr auto kStored = std::to_array<Stored>({
#define SONDE_HISTORY_VALUE(number, name, unit, scale, description) {number, scale},
#include "monitor/history/values.inc"
});

/// A reading and what is needed to make shares of its counters.
struct Look {
  const device::GpuReading& r;
  const device::GpuReading* before;
  int64_t elapsed_ns;

  using Counter = std::optional<int64_t> device::GpuReading::*;
  /// Counters restart at 0 when the driver is reloaded.
  [[nodiscard]] std::optional<double> share(Counter counter) const {
    if (before == nullptr || elapsed_ns <= 0 || !(r.*counter) || !(before->*counter)) return std::nullopt;
    const int64_t grown = *(r.*counter) - *(before->*counter);
    if (grown < 0) return std::nullopt;
    return std::min(100.0, 100.0 * static_cast<double>(grown) / static_cast<double>(elapsed_ns));
  }
};

#define SONDE_OF_READING(name) \
  [[maybe_unused]] std::optional<double> get_##name(const Look& look) { return look.r.name; }
#define SONDE_SHARE(name, counter) \
  std::optional<double> get_##name(const Look& look) { return look.share(&device::GpuReading::counter); }

SONDE_OF_READING(gpu_utilization_percent)
SONDE_OF_READING(memory_utilization_percent)
SONDE_OF_READING(memory_used_bytes)
SONDE_OF_READING(temperature_celsius)
SONDE_OF_READING(memory_temperature_celsius)
SONDE_OF_READING(temperature_margin_celsius)
SONDE_OF_READING(power_draw_milliwatts)
SONDE_OF_READING(power_enforced_limit_milliwatts)
SONDE_OF_READING(sm_clock_mhz)
SONDE_OF_READING(memory_clock_mhz)
SONDE_OF_READING(fan_speed_percent)
SONDE_OF_READING(encoder_utilization_percent)
SONDE_OF_READING(decoder_utilization_percent)
SONDE_SHARE(sw_power_cap_percent, sw_power_cap_ns)
SONDE_SHARE(sync_boost_percent, sync_boost_ns)
SONDE_SHARE(sw_thermal_slowdown_percent, sw_thermal_slowdown_ns)
SONDE_SHARE(hw_thermal_slowdown_percent, hw_thermal_slowdown_ns)
SONDE_SHARE(hw_power_brake_percent, hw_power_brake_ns)
SONDE_OF_READING(pcie_generation)
SONDE_OF_READING(pcie_width)
SONDE_OF_READING(pcie_replays)
SONDE_OF_READING(pcie_tx_kbytes_per_s)
SONDE_OF_READING(pcie_rx_kbytes_per_s)
SONDE_OF_READING(ecc_corrected_volatile_total)
SONDE_OF_READING(ecc_uncorrected_volatile_total)
SONDE_OF_READING(ecc_corrected_aggregate_total)
SONDE_OF_READING(ecc_uncorrected_aggregate_total)
SONDE_OF_READING(remapped_rows_correctable)
SONDE_OF_READING(remapped_rows_uncorrectable)
SONDE_OF_READING(gpm_graphics_percent)
SONDE_OF_READING(gpm_sm_percent)
SONDE_OF_READING(gpm_occupancy_percent)
SONDE_OF_READING(gpm_tensor_percent)
SONDE_OF_READING(gpm_dram_percent)
SONDE_OF_READING(gpm_fp64_percent)
SONDE_OF_READING(gpm_fp32_percent)
SONDE_OF_READING(gpm_fp16_percent)
SONDE_OF_READING(gpm_pcie_tx_mib_per_s)
SONDE_OF_READING(gpm_pcie_rx_mib_per_s)
SONDE_OF_READING(gpm_nvlink_rx_mib_per_s)
SONDE_OF_READING(gpm_nvlink_tx_mib_per_s)
#undef SONDE_OF_READING
#undef SONDE_SHARE

std::optional<double> get_process_count(const Look& look) {
  if (!look.r.running) return std::nullopt;
  return static_cast<double>(look.r.running->size());
}

using Get = std::optional<double> (*)(const Look&);
constexpr auto kGet = std::to_array<Get>({
#define SONDE_HISTORY_VALUE(number, name, unit, scale, description) get_##name,
#include "monitor/history/values.inc"
});

}  // namespace

Values values_of(const device::GpuReading& reading, const device::GpuReading* before, int64_t elapsed_ns) {
  const Look look{reading, before, elapsed_ns};
  Values values;
  for (size_t i = 0; i < kValues; ++i) {
    const auto value = kGet.at(i)(look);
    values.at(i) = value ? static_cast<float>(*value) : kNothing;
  }
  return values;
}

std::optional<size_t> find_value(std::string_view name) {
  const auto* const found = std::ranges::find(kRows, name, &HistoryValue::name);
  if (found == kRows.end()) return std::nullopt;
  return static_cast<size_t>(found - kRows.begin());
}

const Stored& stored(size_t value) { return kStored.at(value); }

std::optional<size_t> value_of_number(int64_t number) {
  const auto* const found = std::ranges::find(kStored, number, &Stored::number);
  if (found == kStored.end()) return std::nullopt;
  return static_cast<size_t>(found - kStored.begin());
}

}  // namespace history

std::span<const HistoryValue> history_values() { return history::kRows; }

}  // namespace sonde::monitor
