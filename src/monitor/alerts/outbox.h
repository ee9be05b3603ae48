#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/config.h"
#include "monitor/incident.h"

namespace sonde::monitor {

/// What waits to be told to one receiver, and how it is written. Moments are nanoseconds since 1970. One thread at a
/// time.
class Outbox {
 public:
  virtual ~Outbox() = default;
  virtual void take(const std::vector<IncidentNews>& news, const std::vector<Incident>& open,
                    const config::Alerts& alerts, int64_t now_ns) = 0;
  /// Called before the others: the clock may have been set back.
  virtual void clock_is(int64_t /*now_ns*/) {}
  /// From when on there is something to send; nothing where nothing waits.
  [[nodiscard]] virtual std::optional<int64_t> due_ns() const = 0;
  /// The body of the next POST. `hurried`: more waits than may be sent apart, so that one POST has to tell all.
  [[nodiscard]] virtual std::string body(int64_t now_ns, bool hurried) = 0;
  /// What the last body said has arrived, or is given up.
  virtual void done(int64_t now_ns) = 0;
  /// Changes that wait; open alerts that are only told again do not count.
  [[nodiscard]] virtual int64_t waiting() const = 0;
};

/// Alertmanager's API v2: alerts with the same labels are the same alert, told again while they are open, with an end
/// ahead, so that they end by themselves when this service does.
class AlertmanagerOutbox final : public Outbox {
 public:
  explicit AlertmanagerOutbox(std::string hostname) : hostname_(std::move(hostname)) {}

  void take(const std::vector<IncidentNews>& news, const std::vector<Incident>& open, const config::Alerts& alerts,
            int64_t now_ns) override;
  void clock_is(int64_t now_ns) override { sent_all_ns_ = std::min(sent_all_ns_, now_ns); }
  [[nodiscard]] std::optional<int64_t> due_ns() const override;
  [[nodiscard]] std::string body(int64_t now_ns, bool hurried) override;
  void done(int64_t now_ns) override;
  [[nodiscard]] int64_t waiting() const override;

 private:
  struct Alert {
    int64_t incident = 0;
    int64_t starts_ns = 0;
    std::optional<int64_t> ended_ns;
    std::string annotations;  ///< JSON object
    std::string link;
    bool pending = true;     ///< its current state was not sent yet
    bool in_flight = false;  ///< the last body contained its current state
    bool sent = false;       ///< the receiver may know it

    void renew() {
      pending = true;
      in_flight = false;
    }
  };

  void put(const Incident& incident, const config::Alerts& alerts, const std::string& labels);
  void end_others(const std::set<std::string>& firing, const std::vector<IncidentNews>& news, int64_t now_ns);
  void drop_excess();

  std::string hostname_;
  std::map<std::string, Alert> alerts_;  ///< by their labels, a JSON object
  int64_t resend_ns_ = 60'000'000'000;
  int64_t sent_all_ns_ = 0;
  bool resending_all_ = false;
};

/// One POST a change: {"version":1,"change":"opened","incident":{...}}.
class WebhookOutbox final : public Outbox {
 public:
  void take(const std::vector<IncidentNews>& news, const std::vector<Incident>& open, const config::Alerts& alerts,
            int64_t now_ns) override;
  [[nodiscard]] std::optional<int64_t> due_ns() const override;
  [[nodiscard]] std::string body(int64_t now_ns, bool hurried) override;
  void done(int64_t now_ns) override;
  [[nodiscard]] int64_t waiting() const override { return static_cast<int64_t>(queue_.size()); }

 private:
  void put(const IncidentNews& news);

  std::deque<IncidentNews> queue_;  ///< the oldest first
  size_t in_flight_ = 0;            ///< of its beginning
  int64_t dropped_ = 0;             ///< that the queue had no room for
};

[[nodiscard]] Severity minimum_severity(const config::Alerts& alerts);

}  // namespace sonde::monitor
