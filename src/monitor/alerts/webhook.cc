#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "monitor/alerts/outbox.h"
#include "monitor/json.h"

namespace sonde::monitor {
namespace {

/// What a receiver that is away for long may find when it is back. Older changes are dropped and counted.
constexpr size_t kMaxWaiting = 1000;
/// Incidents that one summary tells in full.
constexpr size_t kMaxInSummary = 100;

Json change_json(const IncidentNews& news) {
  return {{"version", 1}, {"change", change_name(news.change)}, {"incident", incident_json(news.incident)}};
}

/// The change that stands for both: nobody was told the earlier one.
IncidentChange merged(IncidentChange earlier, IncidentChange later) {
  if (later == IncidentChange::cleared) return later;
  return earlier == IncidentChange::opened ? earlier : later;
}

}  // namespace

void WebhookOutbox::take(const std::vector<IncidentNews>& news, const std::vector<Incident>& /*open*/,
                         const config::Alerts& alerts, int64_t /*now_ns*/) {
  for (const IncidentNews& one : news) {
    if (one.incident.severity >= minimum_severity(alerts)) put(one);
  }
  while (queue_.size() > kMaxWaiting) {
    queue_.pop_front();
    ++dropped_;
    in_flight_ -= in_flight_ > 0 ? 1 : 0;
  }
}

void WebhookOutbox::put(const IncidentNews& news) {
  const auto waiting = std::find_if(queue_.begin() + static_cast<std::ptrdiff_t>(in_flight_), queue_.end(),
                                    [&](const IncidentNews& n) { return n.incident.id == news.incident.id; });
  if (waiting == queue_.end()) {
    queue_.push_back(news);
  } else {
    *waiting = {merged(waiting->change, news.change), news.incident};
  }
}

std::optional<int64_t> WebhookOutbox::due_ns() const {
  if (queue_.empty()) return std::nullopt;
  return std::numeric_limits<int64_t>::min();
}

std::string WebhookOutbox::body(int64_t /*now_ns*/, bool hurried) {
  if (!hurried || queue_.size() < 2) {
    in_flight_ = 1;
    return json_line(change_json(queue_.front()));
  }
  in_flight_ = queue_.size();
  Json changes = Json::array();
  for (size_t i = 0; i < std::min(in_flight_, kMaxInSummary); ++i) changes.push_back(change_json(queue_[i]));
  return json_line({{"version", 1},
                    {"change", "summary"},
                    {"held_back", static_cast<int64_t>(in_flight_) + dropped_},
                    {"changes", std::move(changes)}});
}

void WebhookOutbox::done(int64_t /*now_ns*/) {
  if (in_flight_ > 1) dropped_ = 0;
  queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(in_flight_));
  in_flight_ = 0;
}

}  // namespace sonde::monitor
