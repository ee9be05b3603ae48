#include "api/answers.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text/decimal.h"
#include "monitor/json.h"

namespace sonde::api {
namespace {

using monitor::GpuView;
using monitor::HostSnapshot;
using monitor::Incident;

std::string known_gpus(const HostSnapshot& host) {
  if (host.gpus.empty()) return "No GPUs are known; GET /api/v1/health shows the reason.";
  std::string known = "Known GPUs:";
  for (const GpuView& gpu : host.gpus)
    known += fmt::format("{} gpu_{} ({})", gpu.index == 0 ? "" : ",", gpu.index, gpu.uuid);
  return known + ".";
}

bool is_named(const GpuView& gpu, const std::string& id) {
  return gpu.uuid == id || fmt::format("gpu_{}", gpu.index) == id || std::to_string(gpu.index) == id;
}

}  // namespace

Response json_response(const nlohmann::ordered_json& body) {
  Response response;
  response.body = monitor::json_line(body);
  return response;
}

Response json_response(std::string text) {
  Response response;
  response.body = std::move(text);
  return response;
}

Response text_response(int status, std::string text) {
  Response response;
  response.status = status;
  response.content_type = "text/plain; charset=utf-8";
  response.body = std::move(text);
  return response;
}

Answered<const GpuView*> find_gpu(const HostSnapshot& host, const std::string& id) {
  const auto found = std::ranges::find_if(host.gpus, [&](const GpuView& gpu) { return is_named(gpu, id); });
  if (found != host.gpus.end()) return &*found;
  return std::unexpected(refuse("unknown_gpu", {{"gpu", id}, {"known", known_gpus(host)}}));
}

std::optional<int64_t> incident_id(std::string_view text) {
  const auto id = integer_of<int64_t>(text);
  return id && *id > 0 ? id : std::nullopt;
}

Answered<Incident> find_incident(const Services& services, const std::string& id) {
  const auto number = incident_id(id);
  if (!number) return std::unexpected(refuse("unknown_incident", {{"id", fmt::format("'{}'", id)}}));
  const auto host = services.monitor->snapshot();
  const auto open = std::ranges::find(host->open, *number, &Incident::id);
  if (open != host->open.end()) return *open;
  auto kept = services.history->incidents({}, false, *number == INT64_MAX ? 0 : *number + 1, 1);
  if (!kept) return std::unexpected(refuse("history_unavailable", {{"what", kept.error().message}}));
  if (kept->empty() || kept->front().id != *number) return std::unexpected(refuse("unknown_incident", {{"id", id}}));
  return std::move(kept->front());
}

int64_t query_integer(const Call& call, std::string_view name, int64_t otherwise) {
  return integer_of<int64_t>(call.query(name)).value_or(otherwise);
}

std::vector<std::string> query_list(const Call& call, std::string_view name) {
  std::vector<std::string> words;
  std::string_view text = call.query(name);
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    words.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return words;
}

}  // namespace sonde::api
