#include "monitor/json.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "base/text/calendar.h"
#include "base/text/json_null.h"
#include "base/time_units.h"
#include "device/reading_json.h"

namespace sonde::monitor {
namespace {

template <typename T>
Json or_null(const std::optional<T>& value) {
  return sonde::or_null<Json>(value);
}

Json or_null(const std::string& text) { return text_or_null<Json>(text); }

Json moment_or_null(const std::optional<int64_t>& moment_ns) {
  return moment_ns && *moment_ns != 0 ? Json(moment_text_ms(*moment_ns)) : Json(nullptr);
}

Json values_json(const device::GpuReading& reading) {
  Json values = Json::object();
  for (const device::ValueRow& row : device::value_rows()) {
    if (row.own) values[std::string(row.member)] = device::value_json(row, reading);
  }
  return values;
}

Json process_json(const OwnedProcess& owned) {
  return {{"pid", owned.process.pid},
          {"name", or_null(owned.process.name)},
          {"kind", owned.process.compute ? "compute" : "graphics"},
          {"memory_used_bytes", or_null(owned.process.memory_used_bytes)},
          {"gpu_instance", or_null(owned.process.gpu_instance)},
          {"compute_instance", or_null(owned.process.compute_instance)},
          {"alive", owned.owner.alive},
          {"user", or_null(owned.owner.user)},
          {"command", or_null(owned.owner.command)},
          {"container", or_null(owned.owner.container)},
          {"pod", or_null(owned.owner.pod)},
          {"unit", or_null(owned.owner.unit)},
          {"started", moment_or_null(owned.owner.started_ns)}};
}

Json failure_json(const std::optional<device::GpuFailure>& failure) {
  if (!failure) return nullptr;
  return {{"kind", device::failure_name(failure->kind)}, {"message", failure->message}};
}

Json age_json(const GpuView& gpu, const HostSnapshot& host) {
  if (gpu.sample.moment_ns == 0) return nullptr;
  const int64_t age_ms = std::max<int64_t>(0, host.moment_ns - gpu.sample.moment_ns) / kNsPerMillisecond;
  return static_cast<double>(age_ms) / 1000;
}

Json incident_ids(const GpuView& gpu, const HostSnapshot& host) {
  Json ids = Json::array();
  for (const Incident& incident : host.open) {
    if (incident.gpu_uuid == gpu.uuid) ids.push_back(incident.id);
  }
  return ids;
}

Json arguments_json(const std::vector<Argument>& arguments) {
  Json object = Json::object();
  for (const Argument& argument : arguments) object[argument.name] = argument.value;
  return object;
}

Json waste_entry_json(const WasteEntry& entry) {
  return {{"gpu_uuid", entry.gpu_uuid},
          {"kind", waste_name(entry.kind)},
          {"user", or_null(entry.user)},
          {"container", or_null(entry.container)},
          {"hours", entry.hours},
          {"energy_kwh", entry.energy_kwh},
          {"money", entry.money},
          {"since", moment_or_null(entry.since_ns)},
          {"until", moment_or_null(entry.until_ns)}};
}

bool is_simulated(const GpuView& gpu, const HostSnapshot& host) {
  return gpu.sample.reading.simulated || host.source.simulated;
}

Json milliwatts_in_watts(const std::optional<int64_t>& milliwatts) {
  return milliwatts ? Json(static_cast<double>(*milliwatts) / 1000) : Json(nullptr);
}

Json short_json(const GpuView& gpu, const HostSnapshot& host) {
  const device::GpuReading& r = gpu.sample.reading;
  Json json = {{"id", fmt::format("gpu_{}", gpu.index)},
               {"uuid", gpu.uuid},
               {"health", health_name(gpu.health)},
               {"quality", quality_name(gpu.sample.mark.quality)},
               {"utilization_percent", or_null(r.gpu_utilization_percent)},
               {"memory_used_bytes", or_null(r.memory_used_bytes)},
               {"memory_total_bytes", or_null(r.memory_total_bytes)},
               {"temperature_celsius", or_null(r.temperature_celsius)},
               {"power_watts", milliwatts_in_watts(r.power_draw_milliwatts)}};
  if (is_simulated(gpu, host)) json["simulated"] = true;
  return json;
}

}  // namespace

std::string moment_text_ms(int64_t moment_ns) {
  const int64_t seconds = (moment_ns - (moment_ns % kNsPerSecond + kNsPerSecond) % kNsPerSecond) / kNsPerSecond;
  return fmt::format("{}.{:03}Z", moment_text(seconds), (moment_ns - seconds * kNsPerSecond) / kNsPerMillisecond);
}

Json gpu_json(const GpuView& gpu, const HostSnapshot& host) {
  const device::GpuReading& reading = gpu.sample.reading;
  Json processes = Json::array();
  for (const OwnedProcess& process : gpu.processes) processes.push_back(process_json(process));
  return {{"index", gpu.index},
          {"id", fmt::format("gpu_{}", gpu.index)},
          {"uuid", gpu.uuid},
          {"name", or_null(gpu.name)},
          {"simulated", is_simulated(gpu, host)},
          {"health", health_name(gpu.health)},
          {"quality", quality_name(gpu.sample.mark.quality)},
          {"quality_reason", or_null(gpu.sample.mark.reason)},
          {"moment", moment_or_null(gpu.sample.moment_ns)},
          {"age_seconds", age_json(gpu, host)},
          {"failure", failure_json(gpu.sample.failure)},
          {"values", values_json(reading)},
          {"nvlinks", device::nvlinks_json(reading)},
          {"mig_devices", device::mig_devices_json(reading)},
          {"processes", std::move(processes)},
          {"incidents", incident_ids(gpu, host)}};
}

Json gpus_json(const HostSnapshot& host, const std::string& hostname) {
  Json gpus = Json::array();
  for (const GpuView& gpu : host.gpus) gpus.push_back(gpu_json(gpu, host));
  return {{"moment", moment_or_null(host.moment_ns)},
          {"hostname", hostname},
          {"simulated", host.source.simulated},
          {"source", host.source.source.empty() ? Json(nullptr) : Json(host.source.source)},
          {"driver_version", or_null(host.source.driver_version)},
          {"cuda_version", or_null(host.source.cuda_version)},
          {"source_trouble", or_null(host.state.source_trouble)},
          {"gpus", std::move(gpus)}};
}

Json incident_json(const Incident& incident) {
  return {{"id", incident.id},
          {"detector", incident.detector},
          {"gpu_uuid", incident.gpu_uuid},
          {"gpu_index", incident.gpu_index},
          {"subject", incident.subject},
          {"severity", severity_name(incident.severity)},
          {"summary", incident.summary},
          {"action", incident.action},
          {"arguments", arguments_json(incident.arguments)},
          {"xids", incident.xids},
          {"opened", moment_or_null(incident.opened_ns)},
          {"last_seen", moment_or_null(incident.last_seen_ns)},
          {"cleared", moment_or_null(incident.cleared_ns)},
          {"cleared_by", or_null(incident.cleared_by)},
          {"times_seen", incident.times_seen},
          {"acknowledged", moment_or_null(incident.acknowledged_ns)},
          {"acknowledged_by", or_null(incident.acknowledged_by)},
          {"simulated", incident.simulated}};
}

Json waste_json(const std::map<int64_t, std::vector<WasteEntry>>& days, const config::Cost& cost) {
  constexpr size_t kDayLetters = 10;
  Json list = Json::array();
  for (const auto& [day_ns, entries] : days) {
    Json of_day = Json::array();
    for (const WasteEntry& entry : entries) of_day.push_back(waste_entry_json(entry));
    list.push_back(
        {{"day", moment_text(day_ns / kNsPerSecond).substr(0, kDayLetters)}, {"entries", std::move(of_day)}});
  }
  return {
      {"currency", cost.currency}, {"priced", cost.per_kwh > 0 || cost.per_gpu_hour > 0}, {"days", std::move(list)}};
}

Json samples_event_json(const HostSnapshot& host) {
  Json gpus = Json::array();
  for (const GpuView& gpu : host.gpus) gpus.push_back(short_json(gpu, host));
  return {{"moment", moment_or_null(host.moment_ns)}, {"gpus", std::move(gpus)}};
}

Json incident_event_json(const IncidentNews& news) {
  return {{"change", change_name(news.change)}, {"incident", incident_json(news.incident)}};
}

std::string json_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace sonde::monitor
