#include "cli/gpus/cells.h"

#include <fmt/format.h>

#include "device/fields.h"

namespace sonde::gpus {
namespace {

constexpr int64_t kIdleBit = 0x1;

double gib(int64_t bytes) { return static_cast<double>(bytes) / (1LL << 30); }

std::string or_dash(const std::optional<int64_t>& value, std::string_view unit) {
  return value ? fmt::format("{} {}", *value, unit) : "-";
}

}  // namespace

std::string name_text(const device::GpuReading& reading) {
  constexpr std::string_view kMaker = "NVIDIA ";
  const std::string name = reading.name.value_or("-");
  return name.substr(name.starts_with(kMaker) ? kMaker.size() : 0);
}

std::string memory_text(const device::GpuReading& reading) {
  if (!reading.memory_total_bytes || !reading.memory_used_bytes) return "-";
  return fmt::format("{:.1f}/{:.1f} GiB", gib(*reading.memory_used_bytes), gib(*reading.memory_total_bytes));
}

std::string temperature_text(const device::GpuReading& reading) { return or_dash(reading.temperature_celsius, "C"); }

std::string power_text(const device::GpuReading& reading) {
  if (!reading.power_draw_milliwatts) return "-";
  const auto watts = [](int64_t milliwatts) { return (milliwatts + 500) / 1000; };
  const auto& enforced = reading.power_enforced_limit_milliwatts;
  const auto& limit = enforced ? enforced : reading.power_limit_milliwatts;
  return limit ? fmt::format("{}/{} W", watts(*reading.power_draw_milliwatts), watts(*limit))
               : fmt::format("{} W", watts(*reading.power_draw_milliwatts));
}

std::string sm_clock_text(const device::GpuReading& reading) { return or_dash(reading.sm_clock_mhz, "MHz"); }

std::string process_memory_text(const device::GpuProcess& process) {
  return process.memory_used_bytes ? fmt::format("{:.1f} GiB", gib(*process.memory_used_bytes)) : "-";
}

std::string state_text(const device::GpuState& state) {
  if (state.failure) {
    switch (state.failure->kind) {
      case device::FailureKind::lost: return "LOST";
      case device::FailureKind::not_answering: return "NOT ANSWERING";
      case device::FailureKind::reset_required: return "RESET REQUIRED";
      default: return "NOT READABLE";
    }
  }
  const int64_t reasons = state.reading.clocks_event_reasons.value_or(0);
  const int64_t held = reasons & ~kIdleBit;
  if (held != 0) return device::clock_reasons_text(held);
  return (reasons & kIdleBit) != 0 ? "idle" : "";
}

}  // namespace sonde::gpus
