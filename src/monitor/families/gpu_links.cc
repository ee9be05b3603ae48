#include <fmt/format.h>
#include <array>

#include "monitor/families/shared_family.h"

namespace sonde::monitor {
namespace gpu_links {
namespace {

using device::MigDevice;
using device::NvLinkReading;

constexpr double kBytesPerMbyte = 1e6;

template <typename Visit>
void for_each_link(const Scrape& scrape, Visit visit) {
  for_each_read(scrape, [&](const GpuView& gpu) {
    if (!gpu.sample.reading.nvlinks) return;
    for (const NvLinkReading& link : *gpu.sample.reading.nvlinks) visit(gpu, fmt::format("{}", link.link), link);
  });
}

void link_up(const Scrape& scrape, Samples& out) {
  for_each_link(scrape, [&](const GpuView& gpu, const std::string& number, const NvLinkReading& link) {
    if (link.active) out.add({{"uuid", gpu.uuid}, {"link", number}}, *link.active ? 1 : 0);
  });
}

void link_speed(const Scrape& scrape, Samples& out) {
  for_each_link(scrape, [&](const GpuView& gpu, const std::string& number, const NvLinkReading& link) {
    if (!link.speed_mbytes_per_s) return;
    out.add({{"uuid", gpu.uuid}, {"link", number}}, static_cast<double>(*link.speed_mbytes_per_s) * kBytesPerMbyte);
  });
}

void link_errors(const Scrape& scrape, Samples& out) {
  struct Kind {
    std::string_view name;
    std::optional<int64_t> NvLinkReading::* count = nullptr;
  };
  static constexpr auto kKinds = std::to_array<Kind>({{"replay", &NvLinkReading::replay_errors},
                                                      {"recovery", &NvLinkReading::recovery_errors},
                                                      {"crc", &NvLinkReading::crc_errors}});
  for_each_link(scrape, [&](const GpuView& gpu, const std::string& number, const NvLinkReading& link) {
    for (const Kind& kind : kKinds) {
      const auto count = link.*kind.count;
      if (!count) continue;
      out.add({{"uuid", gpu.uuid}, {"link", number}, {"error", kind.name}}, static_cast<double>(*count));
    }
  });
}

template <typename Visit>
void for_each_part(const Scrape& scrape, Visit visit) {
  for_each_read(scrape, [&](const GpuView& gpu) {
    if (!gpu.sample.reading.mig_devices) return;
    for (const MigDevice& part : *gpu.sample.reading.mig_devices) visit(gpu, part);
  });
}

std::string text_of(const std::optional<int64_t>& value) { return value ? fmt::format("{}", *value) : std::string(); }

void mig_info(const Scrape& scrape, Samples& out) {
  for_each_part(scrape, [&](const GpuView& gpu, const MigDevice& part) {
    out.add({{"uuid", gpu.uuid},
             {"mig_uuid", part.uuid},
             {"name", part.name},
             {"gpu_instance", text_of(part.gpu_instance)},
             {"compute_instance", text_of(part.compute_instance)}},
            1);
  });
}

template <std::optional<int64_t> MigDevice::* kBytes>
void mig_memory(const Scrape& scrape, Samples& out) {
  for_each_part(scrape, [&](const GpuView& gpu, const MigDevice& part) {
    const auto bytes = part.*kBytes;
    if (bytes) out.add({{"uuid", gpu.uuid}, {"mig_uuid", part.uuid}}, static_cast<double>(*bytes));
  });
}

constexpr auto kMetrics = std::to_array<Metric>({
    {.name = "sonde_gpu_nvlink_up", .labels = "uuid, link", .help = "1 if the NVLink is active.", .collect = link_up},
    {.name = "sonde_gpu_nvlink_speed_bytes_per_second",
     .labels = "uuid, link",
     .help = "Speed of the NVLink, in one direction.",
     .collect = link_speed},
    {.name = "sonde_gpu_nvlink_errors_total",
     .kind = MetricKind::counter,
     .labels = "uuid, link, error",
     .help = "Errors of the NVLink since the last reset: replay, recovery or crc.",
     .collect = link_errors},
    {.name = "sonde_gpu_mig_info",
     .labels = "uuid, mig_uuid, name, gpu_instance, compute_instance",
     .help = "Always 1; a MIG device.",
     .collect = mig_info},
    {.name = "sonde_gpu_mig_memory_total_bytes",
     .labels = "uuid, mig_uuid",
     .help = "Total memory of the MIG device.",
     .collect = mig_memory<&MigDevice::memory_total_bytes>},
    {.name = "sonde_gpu_mig_memory_used_bytes",
     .labels = "uuid, mig_uuid",
     .help = "Memory of the MIG device used by processes.",
     .collect = mig_memory<&MigDevice::memory_used_bytes>},
});

}  // namespace
}  // namespace gpu_links

extern constinit const Family gpu_links_family;
constinit const Family gpu_links_family{.name = "gpu_links", .title = "NVLink and MIG", .metrics = gpu_links::kMetrics};

}  // namespace sonde::monitor
