#include "monitor/loop/event_writer.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "monitor/json.h"

namespace sonde::monitor::loop {
namespace {

LogLevel level_of(const IncidentNews& news) {
  if (news.change != IncidentChange::opened && news.change != IncidentChange::changed) return LogLevel::info;
  switch (news.incident.severity) {
    case Severity::critical: return LogLevel::error;
    case Severity::warning: return LogLevel::warning;
    case Severity::info: break;
  }
  return LogLevel::info;
}

std::string joined(const std::vector<int64_t>& numbers) { return fmt::format("{}", fmt::join(numbers, ",")); }

void log_news(Log& log, const IncidentNews& news) {
  const Incident& incident = news.incident;
  std::vector<LogField> fields = {{"incident", std::to_string(incident.id)},
                                  {"change", std::string(change_name(news.change))},
                                  {"detector", incident.detector},
                                  {"severity", std::string(severity_name(incident.severity))},
                                  {"gpu", fmt::format("gpu_{}", incident.gpu_index)},
                                  {"gpu_uuid", incident.gpu_uuid}};
  if (!incident.subject.empty()) fields.push_back({"subject", incident.subject});
  if (!incident.xids.empty()) fields.push_back({"xid", joined(incident.xids)});
  if (!incident.cleared_by.empty()) fields.push_back({"cleared_by", incident.cleared_by});
  if (!incident.acknowledged_by.empty()) fields.push_back({"acknowledged_by", incident.acknowledged_by});
  if (incident.simulated) fields.push_back({"simulated", "true"});
  std::string message = fmt::format("incident {}: {}", change_name(news.change), incident.summary);
  if (news.change == IncidentChange::opened) message += " " + incident.action;
  log.write(level_of(news), message, fields);
}

}  // namespace

void write_news(const MonitorParts& parts, std::span<const IncidentNews> news) {
  for (const IncidentNews& one : news) {
    parts.history->save(one.incident);
    parts.events->add("incident", json_line(incident_event_json(one)));
    log_news(*parts.log, one);
  }
}

void write_source_state(const MonitorParts& parts, const std::string& trouble, size_t gpus) {
  parts.events->add("source", json_line({{"trouble", trouble.empty() ? Json(nullptr) : Json(trouble)}}));
  if (trouble.empty()) {
    parts.log->info(fmt::format("GPUs can be read: this host has {}", gpus), {{"gpus", std::to_string(gpus)}});
  } else {
    parts.log->error(fmt::format("GPUs cannot be read: {}", trouble));
  }
}

void write_history_state(const MonitorParts& parts, const std::string& trouble) {
  if (trouble.empty()) {
    parts.log->info("history is being written again");
  } else {
    parts.log->error(fmt::format("history cannot be written: {}", trouble));
  }
}

}  // namespace sonde::monitor::loop
