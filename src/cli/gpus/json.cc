#include <nlohmann/json.hpp>

#include "base/json_null.h"
#include "cli/gpus/view.h"

namespace sonde::gpus {
namespace {

using Json = nlohmann::ordered_json;

/// Numbers that stand for something are given in words.
bool in_words(device::SmiFormat format) {
  return format == device::SmiFormat::version || format == device::SmiFormat::recovery ||
         format == device::SmiFormat::compute_mode;
}

Json value_json(const device::ValueRow& row, const device::GpuReading& reading) {
  const auto value = row.get(reading);
  if (!value) return nullptr;
  if (in_words(row.format)) return device::field_text(row, reading, false);
  return std::visit([](const auto& v) { return Json(v); }, *value);
}

Json nvlinks_json(const device::GpuReading& reading) {
  if (!reading.nvlinks) return nullptr;
  Json links = Json::array();
  for (const device::NvLinkReading& link : *reading.nvlinks) {
    links.push_back({{"link", link.link},
                     {"active", or_null<Json>(link.active)},
                     {"speed_mbytes_per_s", or_null<Json>(link.speed_mbytes_per_s)},
                     {"replay_errors", or_null<Json>(link.replay_errors)},
                     {"recovery_errors", or_null<Json>(link.recovery_errors)},
                     {"crc_errors", or_null<Json>(link.crc_errors)}});
  }
  return links;
}

Json mig_json(const device::GpuReading& reading) {
  if (!reading.mig_devices) return nullptr;
  Json devices = Json::array();
  for (const device::MigDevice& mig : *reading.mig_devices) {
    devices.push_back({{"uuid", mig.uuid},
                       {"name", mig.name},
                       {"gpu_instance", or_null<Json>(mig.gpu_instance)},
                       {"compute_instance", or_null<Json>(mig.compute_instance)},
                       {"memory_total_bytes", or_null<Json>(mig.memory_total_bytes)},
                       {"memory_used_bytes", or_null<Json>(mig.memory_used_bytes)}});
  }
  return devices;
}

Json processes_json(const device::GpuReading& reading) {
  if (!reading.running) return nullptr;
  Json processes = Json::array();
  for (const device::GpuProcess& p : *reading.running) {
    processes.push_back({{"pid", p.pid},
                         {"type", p.compute ? "compute" : "graphics"},
                         {"name", p.name.empty() ? Json(nullptr) : Json(p.name)},
                         {"memory_used_bytes", or_null<Json>(p.memory_used_bytes)},
                         {"gpu_instance", or_null<Json>(p.gpu_instance)},
                         {"compute_instance", or_null<Json>(p.compute_instance)}});
  }
  return processes;
}

Json gpu_json(const device::GpuState& state) {
  Json gpu = {{"state", state.failure ? device::failure_name(state.failure->kind) : "ok"},
              {"failure", state.failure ? Json(state.failure->message) : Json(nullptr)}};
  for (const device::ValueRow& row : device::value_rows()) {
    if (row.own) gpu[std::string(row.member)] = value_json(row, state.reading);
  }
  gpu["nvlinks"] = nvlinks_json(state.reading);
  gpu["mig_devices"] = mig_json(state.reading);
  gpu["processes"] = processes_json(state.reading);
  Json refused = Json::array();
  for (const device::RefusedValue& r : state.reading.refused)
    refused.push_back({{"call", r.call}, {"reason", r.reason}});
  gpu["refused"] = std::move(refused);
  return gpu;
}

}  // namespace

std::string json_text(const View& view) {
  Json gpus = Json::array();
  for (const device::GpuState& state : view.states) gpus.push_back(gpu_json(state));
  const Json document = {{"version", 1},
                         {"source", view.info->source},
                         {"simulated", view.info->simulated},
                         {"driver_version", text_or_null<Json>(view.info->driver_version)},
                         {"library_version", text_or_null<Json>(view.info->library_version)},
                         {"cuda_version", text_or_null<Json>(view.info->cuda_version)},
                         {"gpus", std::move(gpus)}};
  // Names come from elsewhere and may hold bytes that are no UTF-8.
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sonde::gpus
