#include <nlohmann/json.hpp>

#include "base/text/json_null.h"
#include "cli/gpus/view.h"
#include "device/reading_json.h"

namespace sonde::gpus {
namespace {

using Json = nlohmann::ordered_json;

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
    if (row.own) gpu[std::string(row.member)] = device::value_json(row, state.reading);
  }
  gpu["nvlinks"] = device::nvlinks_json(state.reading);
  gpu["mig_devices"] = device::mig_devices_json(state.reading);
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
