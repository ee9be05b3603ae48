#include "device/reading_json.h"

#include "base/text/json_null.h"

namespace sonde::device {
namespace {

using Json = nlohmann::ordered_json;

bool in_words(SmiFormat format) {
  return format == SmiFormat::version || format == SmiFormat::recovery || format == SmiFormat::compute_mode;
}

}  // namespace

Json value_json(const ValueRow& row, const GpuReading& reading) {
  const auto value = row.get(reading);
  if (!value) return nullptr;
  if (in_words(row.format)) return field_text(row, reading, false);
  return std::visit([](const auto& v) { return Json(v); }, *value);
}

Json nvlinks_json(const GpuReading& reading) {
  if (!reading.nvlinks) return nullptr;
  Json links = Json::array();
  for (const NvLinkReading& link : *reading.nvlinks) {
    links.push_back({{"link", link.link},
                     {"active", or_null<Json>(link.active)},
                     {"speed_mbytes_per_s", or_null<Json>(link.speed_mbytes_per_s)},
                     {"replay_errors", or_null<Json>(link.replay_errors)},
                     {"recovery_errors", or_null<Json>(link.recovery_errors)},
                     {"crc_errors", or_null<Json>(link.crc_errors)}});
  }
  return links;
}

Json mig_devices_json(const GpuReading& reading) {
  if (!reading.mig_devices) return nullptr;
  Json devices = Json::array();
  for (const MigDevice& mig : *reading.mig_devices) {
    devices.push_back({{"uuid", mig.uuid},
                       {"name", mig.name},
                       {"gpu_instance", or_null<Json>(mig.gpu_instance)},
                       {"compute_instance", or_null<Json>(mig.compute_instance)},
                       {"memory_total_bytes", or_null<Json>(mig.memory_total_bytes)},
                       {"memory_used_bytes", or_null<Json>(mig.memory_used_bytes)}});
  }
  return devices;
}

}  // namespace sonde::device
