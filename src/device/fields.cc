#include "device/fields.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "base/text/calendar.h"
#include "base/text/suggest.h"
#include "base/time_units.h"

namespace sonde::device {
namespace {

constexpr double kMibBytes = 1024.0 * 1024.0;

template <typename T>
std::optional<Scalar> scalar(const std::optional<T>& value) {
  if (!value) return std::nullopt;
  return Scalar(*value);
}

constexpr auto kRows = std::to_array<ValueRow>({
    {.smi = "timestamp",
     .format = SmiFormat::timestamp,
     .description = "timestamp of the sample, YYYY/MM/DD HH:MM:SS.msec"},
// NOLINTBEGIN(bugprone-macro-parentheses): members and enumerators cannot stand in parentheses.
#define SONDE_GPU_VALUE(m, type, g, s, f, d) \
  {.member = #m,                             \
   .group = g,                               \
   .smi = s,                                 \
   .format = SmiFormat::f,                   \
   .description = d,                         \
   .own = true,                              \
   .get = [](const GpuReading& r) { return scalar(r.m); }},
#define SONDE_GPU_FIELD(m, s, f, b, d) \
  {.member = #m,                       \
   .group = fast,                      \
   .smi = s,                           \
   .format = SmiFormat::f,             \
   .bit = b,                           \
   .description = d,                   \
   .get = [](const GpuReading& r) { return scalar(r.m); }},
#define SONDE_GPU_ABSENT(s, d) {.smi = s, .description = d},
// NOLINTEND(bugprone-macro-parentheses)
#include "device/values.inc"
});

struct OlderName {
  std::string_view older;
  std::string_view name;
};
constexpr auto kOlderNames = std::to_array<OlderName>({
    {"gpu_name", "name"},
    {"gpu_serial", "serial"},
    {"gpu_uuid", "uuid"},
    {"gpu_bus_id", "pci.bus_id"},
    {"inforom.image", "inforom.img"},
    {"inforom.power", "inforom.pwr"},
    {"accounting_mode", "accounting.mode"},
    {"accounting_buffer_size", "accounting.buffer_size"},
    {"gpu_operation_mode.current", "gom.current"},
    {"gpu_operation_mode.pending", "gom.pending"},
    {"clocks.gr", "clocks.current.graphics"},
    {"clocks.current.gr", "clocks.current.graphics"},
    {"clocks.graphics", "clocks.current.graphics"},
    {"clocks.sm", "clocks.current.sm"},
    {"clocks.mem", "clocks.current.memory"},
    {"clocks.memory", "clocks.current.memory"},
    {"clocks.current.mem", "clocks.current.memory"},
    {"clocks.video", "clocks.current.video"},
    {"clocks.max.gr", "clocks.max.graphics"},
    {"clocks.max.mem", "clocks.max.memory"},
    {"clocks.applications.gr", "clocks.applications.graphics"},
    {"clocks.applications.mem", "clocks.applications.memory"},
    {"clocks.default_applications.gr", "clocks.default_applications.graphics"},
    {"clocks.default_applications.mem", "clocks.default_applications.memory"},
    {"retired_pages.sbe", "retired_pages.single_bit_ecc.count"},
    {"retired_pages.dbe", "retired_pages.double_bit.count"},
});
constexpr std::string_view kThrottle = "clocks_throttle_reasons.";

/// Today's name for one of an older driver.
std::string today(std::string_view name) {
  if (name.starts_with(kThrottle)) return fmt::format("clocks_event_reasons.{}", name.substr(kThrottle.size()));
  const auto* const found = std::ranges::find(kOlderNames, name, &OlderName::older);
  return std::string(found == kOlderNames.end() ? name : found->name);
}

std::string_view unit_of(SmiFormat format) {
  switch (format) {
    case SmiFormat::percent: return "%";
    case SmiFormat::mib: return "MiB";
    case SmiFormat::watts: return "W";
    case SmiFormat::mhz: return "MHz";
    case SmiFormat::microseconds: return "us";
    default: return "";
  }
}

/// By NVML's numbers.
constexpr auto kRecoveryActions =
    std::to_array<std::string_view>({"None", "Reset", "Reboot", "Drain P2P", "Drain and Reset"});
constexpr auto kComputeModes =
    std::to_array<std::string_view>({"Default", "Exclusive_Thread", "Prohibited", "Exclusive_Process"});

std::string named(std::span<const std::string_view> names, int64_t number) {
  const auto at = static_cast<size_t>(number);
  return number >= 0 && at < names.size() ? std::string(names[at]) : fmt::format("Unknown ({})", number);
}

std::string number_text(const ValueRow& row, int64_t v) {
  switch (row.format) {
    case SmiFormat::mib: return fmt::format("{:.0f}", static_cast<double>(v) / kMibBytes);
    case SmiFormat::watts: return fmt::format("{:.2f}", static_cast<double>(v) / 1000);
    case SmiFormat::microseconds: return fmt::format("{}", v / 1000);
    case SmiFormat::hex1: return fmt::format("0x{:X}", v);
    case SmiFormat::hex2: return fmt::format("0x{:02X}", v);
    case SmiFormat::hex4: return fmt::format("0x{:04X}", v);
    case SmiFormat::hex8: return fmt::format("0x{:08X}", v);
    case SmiFormat::hex16: return fmt::format("0x{:016X}", v);
    case SmiFormat::version: return fmt::format("{}.{}", v / 100, v % 100);
    case SmiFormat::pstate: return fmt::format("P{}", v);
    case SmiFormat::recovery: return named(kRecoveryActions, v);
    case SmiFormat::compute_mode: return named(kComputeModes, v);
    case SmiFormat::bit: return (v & row.bit) != 0 ? "Active" : "Not Active";
    default: return fmt::format("{}", v);
  }
}

struct Printer {
  const ValueRow& row;
  std::string operator()(int64_t v) const { return number_text(row, v); }
  std::string operator()(double v) const { return fmt::format("{:.2f}", v); }
  std::string operator()(const std::string& v) const { return v; }
  std::string operator()(bool v) const {
    if (row.format == SmiFormat::yes_no) return v ? "Yes" : "No";
    return v ? "Enabled" : "Disabled";
  }
};

constexpr int64_t kHwSlowdownBit = 0x8;
constexpr int64_t kHwThermalBit = 0x40;
constexpr int64_t kPowerBrakeBit = 0x80;

struct ReasonText {
  int64_t bit;
  std::string_view text;
};
// NVML's bits; idle and application clocks are no throttling but stand in the same mask.
constexpr auto kReasons = std::to_array<ReasonText>({{0x1, "idle"},
                                                     {0x2, "application clocks"},
                                                     {0x4, "power cap"},
                                                     {kHwSlowdownBit, "HW slowdown"},
                                                     {0x10, "sync boost"},
                                                     {0x20, "SW thermal"},
                                                     {kHwThermalBit, "HW thermal"},
                                                     {kPowerBrakeBit, "power brake"},
                                                     {0x100, "display clocks"}});

}  // namespace

std::span<const ValueRow> value_rows() { return kRows; }

Result<const ValueRow*> find_field(std::string_view name) {
  const std::string current = today(name);
  const auto* const found = std::ranges::find(kRows, current, &ValueRow::smi);
  if (!current.empty() && found != kRows.end()) return found;
  std::vector<std::string_view> known;
  for (const ValueRow& row : kRows) {
    if (!row.smi.empty()) known.push_back(row.smi);
  }
  return fail("Field \"{}\" is not a valid field to query{}; sonde gpus --help-query-gpu lists them", name,
              did_you_mean(name, known));
}

std::string field_header(const ValueRow& row, bool units) {
  const std::string_view unit = unit_of(row.format);
  return !units || unit.empty() ? std::string(row.smi) : fmt::format("{} [{}]", row.smi, unit);
}

std::string field_text(const ValueRow& row, const GpuReading& reading, bool units) {
  const auto value = row.get == nullptr ? std::nullopt : row.get(reading);
  if (!value) return row.format == SmiFormat::bare ? "N/A" : "[N/A]";
  const std::string text = std::visit(Printer{row}, *value);
  const std::string_view unit = unit_of(row.format);
  return !units || unit.empty() ? text : fmt::format("{} {}", text, unit);
}

std::string smi_timestamp(int64_t moment_ns, int64_t utc_offset_s) {
  std::string text = moment_text(moment_ns / kNsPerSecond + utc_offset_s, ' ');
  std::ranges::replace(text, '-', '/');
  return fmt::format("{}.{:03}", text, moment_ns / 1'000'000 % 1000);
}

std::string clock_reasons_text(int64_t mask) {
  // These two come with the bit of hardware slowdowns in general, which says no more then.
  if ((mask & (kHwThermalBit | kPowerBrakeBit)) != 0) mask &= ~kHwSlowdownBit;
  std::string text;
  for (const ReasonText& reason : kReasons) {
    if ((mask & reason.bit) == 0) continue;
    if (!text.empty()) text += ", ";
    text += reason.text;
  }
  return text;
}

}  // namespace sonde::device
