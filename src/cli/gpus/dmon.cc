#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text/calendar.h"
#include "cli/gpus/view.h"

namespace sonde::gpus {
namespace {

using device::GpuReading;

struct Column {
  char group;  ///< letter of -s
  std::string_view title;
  std::string_view unit;
  std::optional<int64_t> (*value)(const GpuReading& reading);
};

constexpr int64_t kThermal = 0x20 | 0x40;
constexpr int64_t kMib = 1 << 20;

std::optional<int64_t> divided(const std::optional<int64_t>& value, int64_t by) {
  return value ? std::optional(*value / by) : std::nullopt;
}

constexpr auto kColumns = std::to_array<Column>({
    {'p', "pwr", "W", [](const GpuReading& r) { return divided(r.power_draw_milliwatts, 1000); }},
    {'p', "gtemp", "C", [](const GpuReading& r) { return r.temperature_celsius; }},
    {'p', "mtemp", "C", [](const GpuReading& r) { return r.memory_temperature_celsius; }},
    {'u', "sm", "%", [](const GpuReading& r) { return r.gpu_utilization_percent; }},
    {'u', "mem", "%", [](const GpuReading& r) { return r.memory_utilization_percent; }},
    {'u', "enc", "%", [](const GpuReading& r) { return r.encoder_utilization_percent; }},
    {'u', "dec", "%", [](const GpuReading& r) { return r.decoder_utilization_percent; }},
    {'u', "jpg", "%", [](const GpuReading& r) { return r.jpeg_utilization_percent; }},
    {'u', "ofa", "%", [](const GpuReading& r) { return r.ofa_utilization_percent; }},
    {'c', "mclk", "MHz", [](const GpuReading& r) { return r.memory_clock_mhz; }},
    {'c', "pclk", "MHz", [](const GpuReading& r) { return r.sm_clock_mhz; }},
    {'v', "pviol", "%", nullptr},  // a share of time between two lines
    {'v', "tviol", "bool",
     [](const GpuReading& r) {
       return r.clocks_event_reasons ? std::optional<int64_t>((*r.clocks_event_reasons & kThermal) != 0 ? 1 : 0)
                                     : std::nullopt;
     }},
    {'m', "fb", "MB", [](const GpuReading& r) { return divided(r.memory_used_bytes, kMib); }},
    {'m', "bar1", "MB", [](const GpuReading& r) { return divided(r.bar1_used_bytes, kMib); }},
    {'m', "ccpm", "MB", [](const GpuReading&) { return std::optional<int64_t>(); }},
    {'e', "sbecc", "errs", [](const GpuReading& r) { return r.ecc_corrected_volatile_total; }},
    {'e', "dbecc", "errs", [](const GpuReading& r) { return r.ecc_uncorrected_volatile_total; }},
    {'e', "pci", "errs", [](const GpuReading& r) { return r.pcie_replays; }},
    {'t', "rxpci", "MB/s", [](const GpuReading& r) { return divided(r.pcie_rx_kbytes_per_s, 1000); }},
    {'t', "txpci", "MB/s", [](const GpuReading& r) { return divided(r.pcie_tx_kbytes_per_s, 1000); }},
});

/// Share of the time since the line before in which the power limit held the clocks down.
std::optional<int64_t> power_share(const View& before, const View& now, size_t gpu) {
  if (gpu >= before.states.size() || before.states[gpu].failure || now.moment_ns <= before.moment_ns) return {};
  const auto& then = before.states[gpu].reading.sw_power_cap_ns;
  const auto& today = now.states[gpu].reading.sw_power_cap_ns;
  if (!then || !today || *today < *then) return {};
  return std::min<int64_t>(100, 100 * (*today - *then) / (now.moment_ns - before.moment_ns));
}

/// The start of a line: date and time where they are wanted, and the number of the GPU.
std::string start(char first, std::string_view date, std::string_view time, std::string_view gpu) {
  if (date.empty() && time.empty()) return fmt::format("{}{:>4}", first, gpu);
  const std::string_view between = date.empty() || time.empty() ? "" : "    ";
  return fmt::format("{}{:<{}}{}{:<{}}{:>8}", first, date, date.empty() ? 0 : 8, between, time, time.empty() ? 0 : 8,
                     gpu);
}

}  // namespace

Result<Dmon> Dmon::parse(std::string_view groups, std::string_view stamp) {
  Dmon dmon;
  for (const char letter : groups) {
    const size_t before = dmon.columns_.size();
    for (const Column& column : kColumns) {
      if (column.group != letter) continue;
      dmon.columns_.push_back(column.title);
      dmon.units_.push_back(column.unit);
    }
    if (dmon.columns_.size() == before) {
      return fail(
          "-s: unknown group '{}'; use p (power, temperature), u (utilization), c (clocks), v (violations), m "
          "(memory), e (ECC, PCIe replays) and t (PCIe traffic)",
          letter);
    }
  }
  for (const char letter : stamp) {
    if (letter != 'D' && letter != 'T') return fail("-o: unknown option '{}'; use D (date) and T (time)", letter);
    (letter == 'D' ? dmon.date_ : dmon.time_) = true;
  }
  return dmon;
}

device::ValueGroups Dmon::groups() const {
  const bool slow = std::ranges::any_of(columns_, [](std::string_view title) {
    const auto* const column = std::ranges::find(kColumns, title, &Column::title);
    return column->group == 'e' || column->group == 't' || title == "bar1";
  });
  return device::fast | (slow ? device::slow : 0U);
}

std::string Dmon::header() const {
  std::string titles = start('#', date_ ? "Date" : "", time_ ? "Time" : "", "gpu");
  std::string units = start('#', date_ ? "YYYYMMDD" : "", time_ ? "HH:MM:SS" : "", "Idx");
  for (const std::string_view title : columns_) titles += fmt::format("{:>7}", title);
  for (const std::string_view unit : units_) units += fmt::format("{:>7}", unit);
  return titles + "\n" + units + "\n";
}

std::string Dmon::cell(std::string_view title, size_t gpu, const View& view) const {
  if (view.states[gpu].failure) return "-";
  const auto* const column = std::ranges::find(kColumns, title, &Column::title);
  const auto value =
      column->value == nullptr ? power_share(before_, view, gpu) : column->value(view.states[gpu].reading);
  return value ? fmt::format("{}", *value) : "-";
}

std::string Dmon::lines(const View& view) {
  const std::string moment = moment_text(view.moment_ns / 1'000'000'000 + view.utc_offset_s, ' ');
  std::string day = moment.substr(0, 10);
  std::erase(day, '-');
  std::string text;
  for (size_t i = 0; i < view.states.size(); ++i) {
    const std::string gpu = fmt::format("{}", view.states[i].reading.index.value_or(0));
    text += start(' ', date_ ? day : "", time_ ? moment.substr(11) : "", gpu);
    for (const std::string_view title : columns_) text += fmt::format("{:>7}", cell(title, i, view));
    text += "\n";
  }
  before_ = view;
  return text;
}

}  // namespace sonde::gpus
