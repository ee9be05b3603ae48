#include <array>

#include "device/nvml/field_values.h"
#include "device/nvml/readers.h"

namespace sonde::device::nvml {
namespace {

using R = GpuReading;
using L = Library;

Return read_utilization(const Asked& a) {
  Utilization use{};
  const Return code = call(a.library.utilization, a.device, &use);
  store(code, a.reading.gpu_utilization_percent, use.gpu);
  store(code, a.reading.memory_utilization_percent, use.memory);
  return code;
}

/// Use of an engine; the second number is the length of the period in microseconds.
template <auto kFunction, auto kValue>
Return engine(const Asked& a) {
  unsigned percent = 0;
  unsigned period_us = 0;
  const Return code = call(a.library.*kFunction, a.device, &percent, &period_us);
  store(code, a.reading.*kValue, percent);
  return code;
}

/// Before driver 510 there is only the first form, whose "used" holds what the driver reserves.
Return read_older_memory(const Asked& a) {
  Memory memory{};
  const Return code = call(a.library.memory, a.device, &memory);
  a.reading.memory_reserved_bytes.reset();
  store(code, a.reading.memory_total_bytes, memory.total);
  store(code, a.reading.memory_used_bytes, memory.used);
  store(code, a.reading.memory_free_bytes, memory.free);
  return code;
}

Return read_memory(const Asked& a) {
  MemoryV2 memory{};
  memory.version = version_of<MemoryV2>(2);
  const Return code = call(a.library.memory_v2, a.device, &memory);
  if (code == Return::function_not_found) return read_older_memory(a);
  store(code, a.reading.memory_total_bytes, memory.total);
  store(code, a.reading.memory_reserved_bytes, memory.reserved);
  store(code, a.reading.memory_used_bytes, memory.used);
  store(code, a.reading.memory_free_bytes, memory.free);
  return code;
}

Return read_temperature(const Asked& a) {
  Temperature temperature{};
  temperature.version = version_of<Temperature>(1);
  Return code = call(a.library.temperature_v, a.device, &temperature);
  if (code == Return::function_not_found) {
    unsigned celsius = 0;
    code = call(a.library.temperature, a.device, 0U, &celsius);
    temperature.celsius = static_cast<int>(celsius);
  }
  store(code, a.reading.temperature_celsius, temperature.celsius);
  return code;
}

Return read_margin(const Asked& a) {
  MarginTemperature margin{};
  margin.version = version_of<MarginTemperature>(1);
  const Return code = call(a.library.margin, a.device, &margin);
  store(code, a.reading.temperature_margin_celsius, margin.celsius);
  return code;
}

Return read_energy(const Asked& a) {
  unsigned long long energy = 0;
  const Return code = call(a.library.energy, a.device, &energy);
  store(code, a.reading.energy_millijoules, energy);
  return code;
}

Return read_reasons(const Asked& a) {
  unsigned long long mask = 0;
  Return code = call(a.library.reasons, a.device, &mask);
  if (code == Return::function_not_found) code = call(a.library.reasons_older, a.device, &mask);
  store(code, a.reading.clocks_event_reasons, mask);
  return code;
}

Return read_performance_state(const Asked& a) {
  unsigned state = 0;
  const Return code = call(a.library.performance_state, a.device, &state);
  store(code, a.reading.performance_state, state);
  constexpr unsigned kUnknownState = 32;
  if (state == kUnknownState) a.reading.performance_state.reset();
  return code;
}

Return read_by_number(const Asked& a) {
  return read_fields(a, std::to_array<FieldOf>({{kFieldMemoryTemperature, &R::memory_temperature_celsius},
                                                {kFieldPowerAverage, &R::power_average_milliwatts},
                                                {kFieldPowerInstant, &R::power_instant_milliwatts},
                                                {kFieldSwPowerCapNs, &R::sw_power_cap_ns},
                                                {kFieldSyncBoostNs, &R::sync_boost_ns},
                                                {kFieldSwThermalNs, &R::sw_thermal_slowdown_ns},
                                                {kFieldHwThermalNs, &R::hw_thermal_slowdown_ns},
                                                {kFieldPowerBrakeNs, &R::hw_power_brake_ns},
                                                {kFieldRecoveryAction, &R::recovery_action}}));
}

constexpr auto kFastReaders = std::to_array<Reader>({
    {"nvmlDeviceGetUtilizationRates", fast, read_utilization},
    {"nvmlDeviceGetMemoryInfo_v2", fast, read_memory},
    {"nvmlDeviceGetTemperatureV", fast, read_temperature},
    {"nvmlDeviceGetMarginTemperature", fast, read_margin},
    {"nvmlDeviceGetPowerUsage", fast, one<&L::power_usage, &R::power_draw_milliwatts>},
    {"nvmlDeviceGetPowerManagementLimit", fast, one<&L::power_limit, &R::power_limit_milliwatts>},
    {"nvmlDeviceGetEnforcedPowerLimit", fast, one<&L::enforced_limit, &R::power_enforced_limit_milliwatts>},
    {"nvmlDeviceGetTotalEnergyConsumption", fast, read_energy},
    {"nvmlDeviceGetFanSpeed", fast, one<&L::fan_speed, &R::fan_speed_percent>},
    {"nvmlDeviceGetPerformanceState", fast, read_performance_state},
    {"nvmlDeviceGetClockInfo", fast, one_of<&L::clock, kClockGraphics, &R::graphics_clock_mhz>},
    {"nvmlDeviceGetClockInfo", fast, one_of<&L::clock, kClockSm, &R::sm_clock_mhz>},
    {"nvmlDeviceGetClockInfo", fast, one_of<&L::clock, kClockMemory, &R::memory_clock_mhz>},
    {"nvmlDeviceGetClockInfo", fast, one_of<&L::clock, kClockVideo, &R::video_clock_mhz>},
    {"nvmlDeviceGetCurrentClocksEventReasons", fast, read_reasons},
    {"nvmlDeviceGetFieldValues", fast, read_by_number},
    {"nvmlDeviceGetEncoderUtilization", fast, engine<&L::encoder_utilization, &R::encoder_utilization_percent>},
    {"nvmlDeviceGetDecoderUtilization", fast, engine<&L::decoder_utilization, &R::decoder_utilization_percent>},
    {"nvmlDeviceGetJpgUtilization", fast, engine<&L::jpeg_utilization, &R::jpeg_utilization_percent>},
    {"nvmlDeviceGetOfaUtilization", fast, engine<&L::ofa_utilization, &R::ofa_utilization_percent>},
});

}  // namespace

std::span<const Reader> fast_readers() { return kFastReaders; }

}  // namespace sonde::device::nvml
