#include <fmt/format.h>
#include <array>

#include "monitor/families/shared_family.h"

/// The metrics of NVIDIA's dcgm-exporter, beside our own.
namespace sonde::monitor {
namespace dcgm {
namespace {

using device::GpuReading;
using device::NvLinkReading;

enum class Names {
  before,        ///< until dcgm-exporter 4.8
  before_exact,  ///< the same, exposed only in DcgmForm::exact
  now            ///< from 4.9 on
};

/// dcgm-exporter gives whole MiB.
std::optional<int64_t> mebibytes(const std::optional<int64_t>& bytes) {
  return bytes ? std::optional(*bytes >> 20) : std::nullopt;
}

/// Bytes a second, both directions.
std::optional<double> nvlink_traffic(const GpuReading& r) {
  constexpr double kBytesPerMib = 1 << 20;
  if (!r.gpm_nvlink_tx_mib_per_s || !r.gpm_nvlink_rx_mib_per_s) return std::nullopt;
  return (*r.gpm_nvlink_tx_mib_per_s + *r.gpm_nvlink_rx_mib_per_s) * kBytesPerMib;
}

/// Of all links that count them; absent where none does.
std::optional<int64_t> nvlink_errors(const GpuReading& r, std::optional<int64_t> NvLinkReading::* count) {
  std::optional<int64_t> sum;
  if (!r.nvlinks) return sum;
  for (const NvLinkReading& link : *r.nvlinks) {
    if (link.*count) sum = sum.value_or(0) + *(link.*count);
  }
  return sum;
}

std::string bus_id(const GpuView& gpu) { return gpu.sample.reading.pci_bus_id.value_or(""); }

std::string device_name(const GpuView& gpu) {
  const int64_t number = gpu.sample.reading.minor_number.value_or(static_cast<int64_t>(gpu.index));
  return fmt::format("nvidia{}", number);
}

/// The labels of a GPU until 4.8.
void add_before(const Scrape& scrape, Samples& out, const GpuView& gpu, double value) {
  const std::string index = fmt::format("{}", gpu.index);
  const std::string bus = bus_id(gpu);
  const std::string device = device_name(gpu);
  std::vector<Label> labels{{"gpu", index}, {"UUID", gpu.uuid}, {"pci_bus_id", bus}, {"device", device}};
  if (scrape.dcgm == DcgmForm::exact) labels.emplace_back("modelName", gpu.name);
  labels.emplace_back("Hostname", scrape.hostname);
  labels.emplace_back("DCGM_FI_DRIVER_VERSION", scrape.host.source.driver_version);
  out.add(labels, value);
}

/// The same from 4.9 on.
void add_now(const Scrape& scrape, Samples& out, const GpuView& gpu, double value) {
  out.add({{"gpu", fmt::format("{}", gpu.index)},
           {"gpu_uuid", gpu.uuid},
           {"pci_bus_id", bus_id(gpu)},
           {"device", device_name(gpu)},
           {"model_name", gpu.name},
           {"hostname", scrape.hostname},
           {"DCGM_FI_SYSTEM_DRIVER_VERSION", scrape.host.source.driver_version}},
          value);
}

void add(Names names, const Scrape& scrape, Samples& out, const GpuView& gpu, double value) {
  if (names == Names::now) return add_now(scrape, out, gpu, value);
  if (names == Names::before || scrape.dcgm == DcgmForm::exact) add_before(scrape, out, gpu, value);
}

template <typename Value>
void add_sample(Names names, const Scrape& scrape, Samples& out, double factor, Value value) {
  for_each_read(scrape, [&](const GpuView& gpu) {
    const auto given = value(gpu.sample.reading);
    if (given) add(names, scrape, out, gpu, scaled(static_cast<double>(*given), factor));
  });
}

/// The code of the last XID, 0 where there was none: a gauge that keeps its value, as in dcgm-exporter. It is what the
/// service saw, and so is there for a GPU that is gone.
void add_last_xid(Names names, const Scrape& scrape, Samples& out) {
  for (size_t gpu = 0; gpu < scrape.host.gpus.size(); ++gpu) {
    const XidCount* last = nullptr;
    for (const XidCount& xid : scrape.host.xids) {
      if (xid.gpu == gpu && (last == nullptr || xid.last_ns > last->last_ns)) last = &xid;
    }
    add(names, scrape, out, scrape.host.gpus[gpu], last == nullptr ? 0 : static_cast<double>(last->xid));
  }
}

constexpr std::string_view labels_of(Names names) {
  return names == Names::now ? "gpu, gpu_uuid, pci_bus_id, device, model_name, hostname, DCGM_FI_SYSTEM_DRIVER_VERSION"
                             : "gpu, UUID, pci_bus_id, device, modelName, Hostname, DCGM_FI_DRIVER_VERSION";
}

// NOLINTBEGIN(bugprone-macro-parentheses): members and enumerators cannot stand in parentheses.
constexpr auto kMetrics = std::to_array<Metric>({
#define SONDE_DCGM_METRIC(n, names, value, factor, k, d, h)                                    \
  {.name = n,                                                                                  \
   .kind = MetricKind::k,                                                                      \
   .detail = MetricDetail::d,                                                                  \
   .labels = labels_of(Names::names),                                                          \
   .help = h,                                                                                  \
   .collect = [](const Scrape& scrape, Samples& out) {                                         \
     add_sample(Names::names, scrape, out, factor, [](const GpuReading& r) { return value; }); \
   }},
#include "monitor/families/shared_dcgm_metrics.inc"
#undef SONDE_DCGM_METRIC
    {.name = "DCGM_FI_DEV_XID_ERRORS",
     .labels = labels_of(Names::before),
     .help = "Code of the last XID error, 0 if there was none. It is never reset: alert on "
             "sonde_gpu_xid_last_timestamp_seconds.",
     .collect = [](const Scrape& scrape, Samples& out) { add_last_xid(Names::before, scrape, out); }},
    {.name = "DCGM_FI_DEV_XID_ERROR",
     .labels = labels_of(Names::now),
     .help = "Code of the last XID error, 0 if there was none.",
     .collect = [](const Scrape& scrape, Samples& out) { add_last_xid(Names::now, scrape, out); }},
});
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace
}  // namespace dcgm

extern constinit const Family dcgm_family;
constinit const Family dcgm_family{.name = "dcgm", .title = "Names of dcgm-exporter", .metrics = dcgm::kMetrics};

}  // namespace sonde::monitor
