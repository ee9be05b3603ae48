#include "monitor/alerts.h"

#include <condition_variable>
#include <mutex>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "monitor/alerts/sender.h"

namespace sonde::monitor {
namespace alerts_test {

using Json = nlohmann::json;
constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kStart = 1'763'784'000 * kSecond;  // 2025-11-22T04:00:00Z
const std::vector<Incident> kNone;

Incident incident(int64_t id, Severity severity = Severity::warning) {
  Incident made;
  made.id = id;
  made.detector = "gpu_hot";
  made.gpu_uuid = "GPU-0";
  made.gpu_index = 3;
  made.subject = "";
  made.severity = severity;
  made.summary = "GPU 3 is hot.";
  made.action = "Cool it.";
  made.opened_ns = kStart;
  made.times_seen = 1;
  return made;
}

IncidentNews news_of(IncidentChange change, const Incident& incident) { return {change, incident}; }

Incident cleared(Incident incident, int64_t at_ns) {
  incident.cleared_ns = at_ns;
  incident.cleared_by = "rule";
  return incident;
}

config::Alerts options() {
  config::Alerts alerts;
  alerts.labels = {{"cluster", "west"}, {"severity", "not this"}};
  alerts.external_url = "https://gpu1.example:8470/";
  return alerts;
}

TEST(AlertmanagerOutbox, WritesApiV2) {
  AlertmanagerOutbox outbox("gpu1");
  EXPECT_FALSE(outbox.due_ns());
  const Incident hot = incident(7);
  outbox.take({news_of(IncidentChange::opened, hot)}, {hot}, options(), kStart);
  EXPECT_EQ(outbox.waiting(), 1);
  const Json body = Json::parse(outbox.body(kStart, false));
  const Json expected = Json::parse(R"([{
      "labels": {"alertname": "SondeGpuHot", "cluster": "west", "detector": "gpu_hot", "gpu": "3", "host": "gpu1",
                 "severity": "warning", "uuid": "GPU-0"},
      "annotations": {"summary": "GPU 3 is hot.", "description": "Cool it.", "incident": "7", "times_seen": "1",
                      "runbook_url": "https://gpu1.example:8470/#incidents/7"},
      "startsAt": "2025-11-22T04:00:00.000Z", "endsAt": "2025-11-22T04:04:00.000Z",
      "generatorURL": "https://gpu1.example:8470/#incidents/7"}])");
  EXPECT_EQ(body, expected);
  outbox.done(kStart);
  EXPECT_EQ(outbox.waiting(), 0);
}

TEST(AlertmanagerOutbox, TellsOpenOnesAgainAndTheEndOnce) {
  AlertmanagerOutbox outbox("gpu1");
  const Incident hot = incident(7);
  outbox.take({news_of(IncidentChange::opened, hot)}, {hot}, {}, kStart);
  static_cast<void>(outbox.body(kStart, false));
  outbox.done(kStart);
  EXPECT_EQ(outbox.due_ns(), kStart + 60 * kSecond);
  const int64_t end = kStart + 90 * kSecond;
  outbox.take({news_of(IncidentChange::cleared, cleared(hot, end))}, kNone, {}, end);
  const Json body = Json::parse(outbox.body(end, false));
  EXPECT_EQ(body.at(0).at("endsAt"), "2025-11-22T04:01:30.000Z");
  outbox.done(end);
  EXPECT_FALSE(outbox.due_ns()) << "nothing is left to tell";
}

TEST(AlertmanagerOutbox, TellsWhatFailedAgain) {
  AlertmanagerOutbox outbox("gpu1");
  const Incident hot = incident(7);
  outbox.take({news_of(IncidentChange::opened, hot)}, {hot}, {}, kStart);
  static_cast<void>(outbox.body(kStart, false));  // and no done()
  EXPECT_EQ(outbox.waiting(), 1);
  EXPECT_EQ(Json::parse(outbox.body(kStart, false)).size(), 1);
}

TEST(AlertmanagerOutbox, KeepsWhatChangedWhileItWasSent) {
  AlertmanagerOutbox outbox("gpu1");
  const Incident hot = incident(7);
  outbox.take({news_of(IncidentChange::opened, hot)}, {hot}, {}, kStart);
  static_cast<void>(outbox.body(kStart, false));
  outbox.take({news_of(IncidentChange::cleared, cleared(hot, kStart))}, kNone, {}, kStart);
  outbox.done(kStart);
  EXPECT_EQ(outbox.waiting(), 1) << "the end was not told";
}

TEST(AlertmanagerOutbox, EndsTheOldAlertWhenTheSeverityGrows) {
  AlertmanagerOutbox outbox("gpu1");
  Incident hot = incident(7);
  outbox.take({news_of(IncidentChange::opened, hot)}, {hot}, {}, kStart);
  static_cast<void>(outbox.body(kStart, false));
  outbox.done(kStart);
  hot.severity = Severity::critical;
  outbox.take({news_of(IncidentChange::changed, hot)}, {hot}, {}, kStart + kSecond);
  const Json body = Json::parse(outbox.body(kStart + kSecond, false));
  ASSERT_EQ(body.size(), 2);
  EXPECT_EQ(body[0].at("labels").at("severity"), "critical");
  EXPECT_EQ(body[1].at("labels").at("severity"), "warning");
  EXPECT_EQ(body[1].at("endsAt"), "2025-11-22T04:00:01.000Z");
}

TEST(AlertmanagerOutbox, LeavesOutWhatIsBelowTheMinimum) {
  AlertmanagerOutbox outbox("gpu1");
  const Incident low = incident(7, Severity::info);
  outbox.take({news_of(IncidentChange::opened, low)}, {low}, {}, kStart);
  EXPECT_FALSE(outbox.due_ns());
}

TEST(AlertmanagerOutbox, DoesNotTellOfWhatCameAndWentUntold) {
  AlertmanagerOutbox outbox("gpu1");
  const Incident hot = incident(7);
  outbox.take({news_of(IncidentChange::opened, hot)}, {hot}, {}, kStart);
  outbox.take({news_of(IncidentChange::cleared, cleared(hot, kStart))}, kNone, {}, kStart);
  EXPECT_FALSE(outbox.due_ns());
}

TEST(WebhookOutbox, PostsEachChange) {
  WebhookOutbox outbox;
  outbox.take({news_of(IncidentChange::opened, incident(1)), news_of(IncidentChange::opened, incident(2))}, kNone, {},
              kStart);
  const Json body = Json::parse(outbox.body(kStart, false));
  EXPECT_EQ(body.at("version"), 1);
  EXPECT_EQ(body.at("change"), "opened");
  EXPECT_EQ(body.at("incident").at("id"), 1);
  EXPECT_EQ(body.at("incident").at("summary"), "GPU 3 is hot.");
  outbox.done(kStart);
  EXPECT_EQ(Json::parse(outbox.body(kStart, false)).at("incident").at("id"), 2);
}

TEST(WebhookOutbox, TheNewestStateReplacesOlderOnes) {
  WebhookOutbox outbox;
  outbox.take({news_of(IncidentChange::opened, incident(1))}, kNone, {}, kStart);
  outbox.take({news_of(IncidentChange::changed, incident(1, Severity::critical))}, kNone, {}, kStart);
  const Json body = Json::parse(outbox.body(kStart, false));
  EXPECT_EQ(outbox.waiting(), 1);
  EXPECT_EQ(body.at("change"), "opened");
  EXPECT_EQ(body.at("incident").at("severity"), "critical");
  // What is on its way stays, and its successor waits.
  outbox.take({news_of(IncidentChange::cleared, cleared(incident(1), kStart))}, kNone, {}, kStart);
  EXPECT_EQ(outbox.waiting(), 2);
}

TEST(WebhookOutbox, IsBounded) {
  WebhookOutbox outbox;
  for (int64_t id = 1; id <= 5000; ++id) {
    outbox.take({news_of(IncidentChange::opened, incident(id))}, kNone, {}, kStart);
  }
  EXPECT_EQ(outbox.waiting(), 1000);
  const Json body = Json::parse(outbox.body(kStart, true));
  EXPECT_EQ(body.at("change"), "summary");
  EXPECT_EQ(body.at("held_back"), 5000);
  EXPECT_EQ(body.at("changes").size(), 100);
}

TEST(Delivery, PausesLongerAfterEachFailure) {
  Delivery delivery(std::make_unique<WebhookOutbox>(), {});
  delivery.outbox().take({news_of(IncidentChange::opened, incident(1))}, kNone, {}, kStart);
  int64_t now = kStart;
  std::vector<int64_t> pauses_s;
  for (int i = 0; i < 9; ++i) {
    static_cast<void>(delivery.begin(now));
    delivery.end(PostOutcome::failed, now);
    pauses_s.push_back((*delivery.next_ns(now) - now) / kSecond);
    now = *delivery.next_ns(now);
  }
  EXPECT_EQ(pauses_s, (std::vector<int64_t>{1, 2, 4, 8, 16, 32, 60, 60, 60}));
  static_cast<void>(delivery.begin(now));
  delivery.end(PostOutcome::arrived, now);
  EXPECT_FALSE(delivery.next_ns(now));
}

TEST(Delivery, GivesUpWhatIsRefused) {
  EXPECT_EQ(outcome_of(200), PostOutcome::arrived);
  EXPECT_EQ(outcome_of(302), PostOutcome::refused);
  EXPECT_EQ(outcome_of(400), PostOutcome::refused);
  EXPECT_EQ(outcome_of(429), PostOutcome::failed);
  EXPECT_EQ(outcome_of(503), PostOutcome::failed);
  Delivery delivery(std::make_unique<WebhookOutbox>(), {});
  delivery.outbox().take({news_of(IncidentChange::opened, incident(1))}, kNone, {}, kStart);
  static_cast<void>(delivery.begin(kStart));
  delivery.end(PostOutcome::refused, kStart);
  EXPECT_EQ(delivery.outbox().waiting(), 0);
}

TEST(Delivery, MakesNoStorm) {
  Delivery delivery(std::make_unique<WebhookOutbox>(), {});
  size_t posts = 0;
  int64_t id = 0;
  for (int64_t now = kStart; now < kStart + 600 * kSecond; now += kSecond / 10) {  // ten changes a second
    delivery.outbox().take({news_of(IncidentChange::opened, incident(++id))}, kNone, {}, now);
    if (!delivery.next_ns(now) || *delivery.next_ns(now) > now) continue;
    static_cast<void>(delivery.begin(now));
    delivery.end(PostOutcome::arrived, now);
    ++posts;
  }
  EXPECT_LE(posts, 330);
  EXPECT_LE(delivery.outbox().waiting(), 700) << "a summary tells what was held back";
}

TEST(ShownReceiver, LeavesSecretsOut) {
  EXPECT_EQ(shown_receiver("https://hooks.example/services/T0/SECRET?x=1"), "https://hooks.example");
  EXPECT_EQ(shown_receiver("http://user:pass@am:9093/api/v2/alerts"), "http://am:9093");
}

class KeptLog final : public Log {
 public:
  void write(LogLevel level, std::string_view message, std::span<const LogField> fields) override {
    const std::scoped_lock lock(mutex_);
    for (const LogField& field : fields) lines_.push_back(field.value + ": " + std::string(message));
    worst_ = std::max(worst_, level);
  }
  void set_level(LogLevel /*level*/) override {}
  std::vector<std::string> lines() {
    const std::scoped_lock lock(mutex_);
    return lines_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
  LogLevel worst_ = LogLevel::debug;
};

/// Receivers by URL: some hang until they are let go.
class FakePoster final : public HttpPoster {
 public:
  Result<int> post(const std::string& url, std::string_view /*content_type*/, const std::string& body,
                   std::chrono::milliseconds /*timeout*/) override {
    std::unique_lock lock(mutex_);
    posts_.push_back({url, body});
    changed_.notify_all();
    if (url.contains("hangs")) changed_.wait(lock, [&] { return stopped_; });
    if (url.contains("refuses")) return fail("Connection refused");
    return 200;
  }
  void stop() override {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  bool wait_for(const std::string& url, size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60),
                             [&] { return static_cast<size_t>(std::ranges::count(posts_, url, &Post::url)) >= count; });
  }

 private:
  struct Post {
    std::string url;
    std::string body;
  };
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Post> posts_;
  bool stopped_ = false;
};

TEST(AlertSender, OneThatHangsDelaysNoOther) {
  KeptLog log;
  auto poster = std::make_unique<FakePoster>();
  FakePoster& fake = *poster;
  const auto sender = AlertSender::start(std::move(poster), log, "gpu1");
  config::Alerts alerts;
  alerts.alertmanagers = {"http://hangs:9093/", "http://fine:9093"};
  alerts.webhooks = {"http://hook/x"};
  const Incident hot = incident(1);
  sender->notify({news_of(IncidentChange::opened, hot)}, {hot}, alerts);
  EXPECT_TRUE(fake.wait_for("http://hangs:9093/api/v2/alerts", 1));
  EXPECT_TRUE(fake.wait_for("http://fine:9093/api/v2/alerts", 1));
  EXPECT_TRUE(fake.wait_for("http://hook/x", 1));
  sender->notify({news_of(IncidentChange::cleared, cleared(hot, kStart))}, {}, alerts);
  EXPECT_TRUE(fake.wait_for("http://fine:9093/api/v2/alerts", 2));
  EXPECT_TRUE(fake.wait_for("http://hook/x", 2));
  EXPECT_GT(sender->counts().waiting, 0) << "the one that hangs";
}

TEST(AlertSender, CountsAndDrains) {
  KeptLog log;
  const auto sender = AlertSender::start(std::make_unique<FakePoster>(), log, "gpu1");
  config::Alerts alerts;
  alerts.webhooks = {"http://hook/x"};
  sender->notify({news_of(IncidentChange::opened, incident(1)), news_of(IncidentChange::opened, incident(2))}, {},
                 alerts);
  sender->drain(std::chrono::seconds(60));
  EXPECT_EQ(sender->counts().sent, 2);
  EXPECT_EQ(sender->counts().waiting, 0);
  alerts.webhooks.clear();
  sender->notify({}, {}, alerts);
  EXPECT_EQ(sender->counts().sent, 2) << "those of a receiver that is gone count on";
}

TEST(AlertSender, SaysOnceThatAReceiverCannotBeReached) {
  KeptLog log;
  SenderOptions quick;
  quick.pace.first_pause_ns = 1;
  quick.pace.longest_pause_ns = 1;
  auto poster = std::make_unique<FakePoster>();
  FakePoster& fake = *poster;
  const auto sender = start_sender(std::move(poster), log, "gpu1", quick);
  config::Alerts alerts;
  alerts.webhooks = {"http://refuses/SECRET"};
  sender->notify({news_of(IncidentChange::opened, incident(1))}, {}, alerts);
  EXPECT_TRUE(fake.wait_for("http://refuses/SECRET", 5));
  EXPECT_EQ(log.lines(),
            std::vector<std::string>{"http://refuses: Alerts cannot be delivered: Connection refused. They "
                                     "are retried with increasing delays."});
  EXPECT_GE(sender->counts().failed, 3);
}

TEST(Delivery, AClockThatIsSetBackStopsNothing) {
  Delivery delivery(std::make_unique<AlertmanagerOutbox>("gpu1"), {});
  const Incident hot = incident(1);
  delivery.outbox().take({news_of(IncidentChange::opened, hot)}, {hot}, {}, kStart);
  static_cast<void>(delivery.begin(kStart));
  delivery.end(PostOutcome::arrived, kStart);
  const int64_t earlier = kStart - 7200 * kSecond;
  EXPECT_EQ(*delivery.next_ns(earlier), earlier + 60 * kSecond) << "told again, or it would end there";
  delivery.outbox().take({}, {}, {}, earlier);
  static_cast<void>(delivery.begin(kStart));
  delivery.end(PostOutcome::failed, kStart);
  EXPECT_LE(*delivery.next_ns(earlier), earlier + 60 * kSecond);
}

}  // namespace alerts_test
}  // namespace sonde::monitor
