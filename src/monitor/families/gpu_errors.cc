#include <array>

#include "monitor/families/shared_family.h"

namespace sonde::monitor {
namespace gpu_errors {
namespace {

using device::GpuReading;

struct EccCount {
  std::string_view type;
  std::string_view period;
  std::string_view location;
  std::optional<int64_t> GpuReading::* count = nullptr;
};

#define SONDE_ECC(type, period, location) {#type, #period, #location, &GpuReading::ecc_##type##_##period##_##location}
#define SONDE_ECC_LOCATIONS(type, period)                                                                           \
  SONDE_ECC(type, period, device_memory), SONDE_ECC(type, period, dram), SONDE_ECC(type, period, sram),             \
      SONDE_ECC(type, period, register_file), SONDE_ECC(type, period, l1_cache), SONDE_ECC(type, period, l2_cache), \
      SONDE_ECC(type, period, texture_memory), SONDE_ECC(type, period, cbu)
constexpr auto kEccTotals = std::to_array<EccCount>({
    SONDE_ECC(corrected, volatile, total),
    SONDE_ECC(corrected, aggregate, total),
    SONDE_ECC(uncorrected, volatile, total),
    SONDE_ECC(uncorrected, aggregate, total),
});
constexpr auto kEccLocations = std::to_array<EccCount>({
    SONDE_ECC_LOCATIONS(corrected, volatile),
    SONDE_ECC_LOCATIONS(corrected, aggregate),
    SONDE_ECC_LOCATIONS(uncorrected, volatile),
    SONDE_ECC_LOCATIONS(uncorrected, aggregate),
});
#undef SONDE_ECC_LOCATIONS
#undef SONDE_ECC

void ecc_totals(const Scrape& scrape, Samples& out) {
  for_each_read(scrape, [&](const GpuView& gpu) {
    for (const EccCount& row : kEccTotals) {
      const auto count = gpu.sample.reading.*row.count;
      if (!count) continue;
      out.add({{"uuid", gpu.uuid}, {"type", row.type}, {"period", row.period}}, static_cast<double>(*count));
    }
  });
}

void ecc_locations(const Scrape& scrape, Samples& out) {
  for_each_read(scrape, [&](const GpuView& gpu) {
    for (const EccCount& row : kEccLocations) {
      const auto count = gpu.sample.reading.*row.count;
      if (!count) continue;
      out.add({{"uuid", gpu.uuid}, {"type", row.type}, {"period", row.period}, {"location", row.location}},
              static_cast<double>(*count));
    }
  });
}

struct NamedCount {
  std::string_view name;
  std::optional<int64_t> GpuReading::* count = nullptr;
};

void add_counts(const Scrape& scrape, Samples& out, std::string_view label, std::span<const NamedCount> rows) {
  for_each_read(scrape, [&](const GpuView& gpu) {
    for (const NamedCount& row : rows) {
      const auto count = gpu.sample.reading.*row.count;
      if (count) out.add({{"uuid", gpu.uuid}, {label, row.name}}, static_cast<double>(*count));
    }
  });
}

void remapped_rows(const Scrape& scrape, Samples& out) {
  static constexpr auto kRows = std::to_array<NamedCount>({
      {"correctable", &GpuReading::remapped_rows_correctable},
      {"uncorrectable", &GpuReading::remapped_rows_uncorrectable},
  });
  add_counts(scrape, out, "cause", kRows);
}

void remap_banks(const Scrape& scrape, Samples& out) {
  static constexpr auto kRows = std::to_array<NamedCount>({
      {"max", &GpuReading::remap_banks_max},
      {"high", &GpuReading::remap_banks_high},
      {"partial", &GpuReading::remap_banks_partial},
      {"low", &GpuReading::remap_banks_low},
      {"none", &GpuReading::remap_banks_none},
  });
  add_counts(scrape, out, "spare_rows", kRows);
}

void retired_pages(const Scrape& scrape, Samples& out) {
  static constexpr auto kRows = std::to_array<NamedCount>({
      {"single_bit", &GpuReading::retired_pages_single_bit},
      {"double_bit", &GpuReading::retired_pages_double_bit},
  });
  add_counts(scrape, out, "cause", kRows);
}

/// NVML's codes, in its order.
void recovery_action(const Scrape& scrape, Samples& out) {
  static constexpr std::array<std::string_view, 5> kActions = {"none", "reset", "reboot", "drain_p2p",
                                                               "drain_and_reset"};
  for_each_read(scrape, [&](const GpuView& gpu) {
    const auto action = gpu.sample.reading.recovery_action;
    if (!action) return;
    const bool known = *action >= 0 && *action < static_cast<int64_t>(kActions.size());
    add_states(out, gpu.uuid, "action", kActions, known ? kActions[static_cast<size_t>(*action)] : "");
    if (!known) out.add({{"uuid", gpu.uuid}, {"action", "other"}}, 1);
  });
}

constexpr auto kMetrics = std::to_array<Metric>({
    {.name = "sonde_gpu_recovery_action",
     .labels = "uuid, action",
     .help = "1 for the current GPU recovery action: none, reset, reboot, drain_p2p or drain_and_reset.",
     .collect = recovery_action},
    {.name = "sonde_gpu_ecc_errors_total",
     .kind = MetricKind::counter,
     .labels = "uuid, type, period",
     .help = "Memory errors by type (corrected, uncorrected), since the driver was loaded (volatile) and in the GPU's "
             "lifetime (aggregate).",
     .collect = ecc_totals},
    {.name = "sonde_gpu_ecc_location_errors_total",
     .kind = MetricKind::counter,
     .labels = "uuid, type, period, location",
     .help = "Memory errors by type and location. Locations overlap (device_memory, dram), so do not add them up.",
     .collect = ecc_locations},
    {.name = "sonde_gpu_remapped_rows_total",
     .kind = MetricKind::counter,
     .labels = "uuid, cause",
     .help = "Remapped memory rows.",
     .collect = remapped_rows},
    {.name = "sonde_gpu_row_remap_banks",
     .labels = "uuid, spare_rows",
     .help = "Memory banks by availability of spare rows: max, high, partial, low or none.",
     .collect = remap_banks},
    {.name = "sonde_gpu_retired_pages_total",
     .kind = MetricKind::counter,
     .labels = "uuid, cause",
     .help = "Retired memory pages (before Ampere).",
     .collect = retired_pages},
});

}  // namespace
}  // namespace gpu_errors

extern constinit const Family gpu_errors_family;
constinit const Family gpu_errors_family{
    .name = "gpu_errors", .title = "Memory errors and recovery", .metrics = gpu_errors::kMetrics};

}  // namespace sonde::monitor
