#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "monitor/alerts/outbox.h"
#include "monitor/json.h"

namespace sonde::monitor {
namespace {

using Json = nlohmann::ordered_json;

/// An alert that was not told again for so many intervals ends: as in Prometheus, so that two POSTs may fail.
constexpr int64_t kIntervalsToEnd = 4;
/// Ended alerts that a receiver was not told yet. Those beyond end by themselves there.
constexpr size_t kMaxEnded = 1000;

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// "gpu_hot" -> "SondeGpuHot", as alerts are named.
std::string alert_name(std::string_view detector) {
  std::string name = "Sonde";
  bool first = true;
  for (const char c : detector) {
    if (c == '_') {
      first = true;
      continue;
    }
    name += first && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    first = false;
  }
  return name;
}

/// What tells alerts apart. Labels of the configuration do not replace these.
std::string labels_of(const Incident& incident, const config::Alerts& alerts, const std::string& hostname) {
  Json labels = Json::object();
  for (const auto& [name, value] : alerts.labels) labels[name] = value;
  labels["alertname"] = alert_name(incident.detector);
  labels["severity"] = severity_name(incident.severity);
  labels["detector"] = incident.detector;
  labels["gpu"] = std::to_string(incident.gpu_index);
  labels["uuid"] = incident.gpu_uuid;
  labels["host"] = hostname;
  // Alertmanager refuses empty labels in some versions and drops them in others.
  if (!incident.subject.empty()) labels["subject"] = incident.subject;
  if (incident.simulated) labels["simulated"] = "true";
  return dumped(labels);
}

std::string link_of(const Incident& incident, const config::Alerts& alerts) {
  if (alerts.external_url.empty()) return {};
  std::string_view base = alerts.external_url;
  while (base.ends_with('/')) base.remove_suffix(1);
  return fmt::format("{}/#incidents/{}", base, incident.id);
}

std::string annotations_of(const Incident& incident, const std::string& link) {
  Json annotations = {{"summary", incident.summary},
                      {"description", incident.action},
                      {"incident", std::to_string(incident.id)},
                      {"times_seen", std::to_string(incident.times_seen)}};
  if (!incident.xids.empty()) annotations["xids"] = fmt::format("{}", fmt::join(incident.xids, ", "));
  if (!link.empty()) annotations["runbook_url"] = link;
  return dumped(annotations);
}

}  // namespace

Severity minimum_severity(const config::Alerts& alerts) {
  for (const Severity severity : {Severity::info, Severity::warning, Severity::critical}) {
    if (alerts.minimum_severity == severity_name(severity)) return severity;
  }
  return Severity::warning;
}

void AlertmanagerOutbox::take(const std::vector<IncidentNews>& news, const std::vector<Incident>& open,
                              const config::Alerts& alerts, int64_t now_ns) {
  resend_ns_ = static_cast<int64_t>(alerts.resend_interval * 1e9);
  std::set<std::string> firing;
  for (const Incident& incident : open) {
    if (incident.severity < minimum_severity(alerts)) continue;
    put(incident, alerts, *firing.insert(labels_of(incident, alerts, hostname_)).first);
  }
  for (const IncidentNews& one : news) {
    const auto found = alerts_.find(labels_of(one.incident, alerts, hostname_));
    if (found != alerts_.end()) found->second.renew();
  }
  end_others(firing, news, now_ns);
  drop_excess();
}

void AlertmanagerOutbox::put(const Incident& incident, const config::Alerts& alerts, const std::string& labels) {
  Alert& alert = alerts_[labels];
  if (alert.ended_ns) alert.renew();
  alert.incident = incident.id;
  alert.starts_ns = incident.opened_ns;
  alert.ended_ns.reset();
  alert.link = link_of(incident, alerts);
  alert.annotations = annotations_of(incident, alert.link);
}

void AlertmanagerOutbox::end_others(const std::set<std::string>& firing, const std::vector<IncidentNews>& news,
                                    int64_t now_ns) {
  for (auto& [labels, alert] : alerts_) {
    if (alert.ended_ns || firing.contains(labels)) continue;
    const auto cleared = std::ranges::find_if(
        news, [&](const IncidentNews& n) { return n.incident.id == alert.incident && n.incident.cleared_ns; });
    alert.ended_ns = cleared == news.end() ? now_ns : *cleared->incident.cleared_ns;
    alert.renew();
  }
  // Nobody knows of these.
  std::erase_if(alerts_, [](const auto& a) { return a.second.ended_ns && !a.second.sent; });
}

void AlertmanagerOutbox::drop_excess() {
  size_t ended = 0;
  std::erase_if(alerts_, [&](const auto& a) { return a.second.ended_ns && ++ended > kMaxEnded; });
}

std::optional<int64_t> AlertmanagerOutbox::due_ns() const {
  if (alerts_.empty()) return std::nullopt;
  return waiting() > 0 ? std::numeric_limits<int64_t>::min() : sent_all_ns_ + resend_ns_;
}

std::string AlertmanagerOutbox::body(int64_t now_ns, bool /*hurried*/) {
  resending_all_ = now_ns >= sent_all_ns_ + resend_ns_;
  std::string body = "[";
  for (auto& [labels, alert] : alerts_) {
    alert.in_flight = alert.pending || resending_all_;
    if (!alert.in_flight) continue;
    alert.sent = true;
    const int64_t ends_ns = alert.ended_ns.value_or(now_ns + kIntervalsToEnd * resend_ns_);
    body += fmt::format(R"({}{{"labels":{},"annotations":{},"startsAt":"{}","endsAt":"{}","generatorURL":{}}})",
                        body.size() > 1 ? "," : "", labels, alert.annotations, moment_text_ms(alert.starts_ns),
                        moment_text_ms(ends_ns), dumped(alert.link));
  }
  return body + "]";
}

void AlertmanagerOutbox::done(int64_t now_ns) {
  if (resending_all_) sent_all_ns_ = now_ns;
  std::erase_if(alerts_, [](const auto& a) { return a.second.in_flight && a.second.ended_ns; });
  for (auto& [labels, alert] : alerts_) alert.pending = alert.pending && !alert.in_flight;
}

int64_t AlertmanagerOutbox::waiting() const {
  return std::ranges::count_if(alerts_, [](const auto& a) { return a.second.pending; });
}

}  // namespace sonde::monitor
