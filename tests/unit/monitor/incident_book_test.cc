#include "monitor/monitor_rounds.h"

namespace sonde::monitor {
namespace incident_book_test {

constexpr DetectorRow kRow = {
    .name = "gpu_hot", .description = "", .clear_after_s = 60, .make = nullptr, .severity = "", .clears = ""};

Observation hot(Severity severity = Severity::warning, const std::string& temperature = "90 °C") {
  return {.gpu = 0,
          .severity = severity,
          .text = "gpu_hot",
          .arguments = {{"temperature", temperature}, {"limit", "85 °C"}}};
}

/// What changed in a round, in short.
std::vector<std::string> changes(const std::vector<IncidentNews>& news) {
  std::vector<std::string> names;
  for (const IncidentNews& one : news) {
    names.push_back(fmt::format("{} {}", change_name(one.change), one.incident.id));
  }
  return names;
}

class BookTest : public ::testing::Test {
 protected:
  std::vector<std::string> see(const std::vector<Observation>& found, double after_s = 10) {
    return changes(book_.take(kRow, host_.round(after_s), found));
  }
  /// Nothing is seen for a time.
  std::vector<std::string> quiet(double seconds) {
    std::vector<std::string> all;
    for (double passed = 0; passed < seconds; passed += 10) {
      for (std::string& change : see({})) all.push_back(std::move(change));
    }
    return all;
  }

  MadeHost host_;
  IncidentBook book_;
};

using Changes = std::vector<std::string>;

TEST_F(BookTest, OpensOnceAndClearsAfterItsTime) {
  EXPECT_EQ(see({hot()}), Changes{"opened 1"});
  EXPECT_EQ(see({hot()}), Changes{});
  EXPECT_EQ(quiet(50), Changes{});
  EXPECT_EQ(quiet(10), Changes{"cleared 1"});
  EXPECT_TRUE(book_.open().empty());
}

TEST_F(BookTest, TellsWhatPeopleSeeAndNotEachDegree) {
  see({hot()});
  EXPECT_EQ(see({hot(Severity::warning, "91 °C")}), Changes{});
  EXPECT_EQ(book_.open()[0].summary, "GPU 0 is at 91 °C; gpu.max_temperature is 85 °C.") << "the open one follows";
  EXPECT_EQ(see({hot(Severity::critical, "95 °C")}), Changes{"changed 1"});
  EXPECT_EQ(see({hot(Severity::warning, "90 °C")}), Changes{}) << "the worst so far stays";
  EXPECT_EQ(book_.open()[0].severity, Severity::critical);
}

TEST_F(BookTest, OpensTheSameIncidentAgainWhenItComesBackSoon) {
  see({hot()});
  EXPECT_EQ(quiet(60), Changes{"cleared 1"});
  EXPECT_EQ(quiet(100), Changes{});
  EXPECT_EQ(see({hot()}), Changes{"opened 1"});
  EXPECT_EQ(book_.open()[0].times_seen, 2);
  EXPECT_FALSE(book_.open()[0].cleared_ns);
  EXPECT_EQ(quiet(110), Changes{}) << "one that flaps stays open for longer";
  EXPECT_EQ(quiet(10), Changes{"cleared 1"});
  quiet(700);
  EXPECT_EQ(see({hot()}), Changes{"opened 2"}) << "much later it is another one";
}

TEST_F(BookTest, AFlappingConditionIsNoStorm) {
  size_t told = 0;
  for (int i = 0; i < 360; ++i) told += see({hot()}).size() + quiet(70).size();  // 8 hours
  EXPECT_LE(told, 6);
}

TEST_F(BookTest, WhatAPersonClearedStaysSilentUntilItWasOver) {
  see({hot()});
  const auto cleared = book_.clear(1, "ada", host_.now_ns());
  ASSERT_TRUE(cleared);
  EXPECT_EQ(cleared->incident.cleared_by, "ada");
  EXPECT_FALSE(book_.clear(1, "ada", host_.now_ns())) << "it is not open any more";
  for (int i = 0; i < 100; ++i) EXPECT_EQ(see({hot()}), Changes{});
  quiet(70);
  EXPECT_EQ(see({hot()}), Changes{"opened 2"});
}

TEST_F(BookTest, WhatHappensAgainIsNotSilent) {
  Observation seen = hot();
  seen.happened = 1;
  see({seen});
  ASSERT_TRUE(book_.clear(1, "ada", host_.now_ns()));
  seen.happened = 0;
  EXPECT_EQ(see({seen}), Changes{});
  seen.happened = 1;
  EXPECT_EQ(see({seen}), Changes{"opened 2"});
}

TEST_F(BookTest, TellsWhatHappensAgainOnceAMinute) {
  Observation seen = hot();
  seen.happened = 3;
  EXPECT_EQ(see({seen}), Changes{"opened 1"});
  size_t told = 0;
  for (int i = 0; i < 60; ++i) told += see({seen}).size();
  EXPECT_EQ(told, 10);
  EXPECT_EQ(book_.open()[0].times_seen, 183);
}

TEST_F(BookTest, Acknowledges) {
  see({hot()});
  EXPECT_FALSE(book_.acknowledge(7, "ada", 5));
  const auto news = book_.acknowledge(1, "ada", 5);
  ASSERT_TRUE(news);
  EXPECT_EQ(news->change, IncidentChange::acknowledged);
  EXPECT_EQ(book_.open()[0].acknowledged_by, "ada");
  EXPECT_EQ(book_.open()[0].acknowledged_ns, 5);
}

TEST_F(BookTest, KnowsAGpuByItsUuidAlsoWhenItCannotBeRead) {
  see({});
  host_.reading().uuid.reset();
  host_.fail(device::FailureKind::lost);
  see({hot()});
  EXPECT_EQ(book_.open()[0].gpu_uuid, "GPU-0");
}

TEST_F(BookTest, GivesAGpuItsUuidOnceItIsKnown) {
  host_.reading().uuid.reset();
  EXPECT_EQ(see({hot()}), Changes{"opened 1"});
  EXPECT_EQ(book_.open()[0].gpu_uuid, "gpu_0");
  host_.reading().uuid = "GPU-0";
  EXPECT_EQ(see({hot()}), Changes{});
  EXPECT_EQ(book_.open()[0].gpu_uuid, "GPU-0");
}

TEST(IncidentBook, GoesOnAfterARestart) {
  Incident old;
  old.id = 41;
  old.detector = "gpu_hot";
  old.gpu_uuid = "GPU-0";
  old.severity = Severity::warning;
  old.last_seen_ns = 5;
  MadeHost host;
  IncidentBook book({old}, 50);
  for (int i = 0; i < 30; ++i) EXPECT_EQ(changes(book.take(kRow, host.round(), {})), Changes{}) << "detectors warm up";
  EXPECT_EQ(changes(book.take(kRow, host.round(), std::vector{hot()})), Changes{});
  EXPECT_EQ(book.open()[0].id, 41);
  EXPECT_EQ(book.open()[0].last_seen_ns, host.now_ns());
  Observation other = hot();
  other.subject = "x";
  EXPECT_EQ(changes(book.take(kRow, host.round(), std::vector{hot(), other})), Changes{"opened 51"});
}

TEST(IncidentBook, ClearsAfterARestartWhatIsOver) {
  Incident old;
  old.id = 41;
  old.detector = "gpu_hot";
  old.gpu_uuid = "GPU-0";
  MadeHost host;
  IncidentBook book({old});
  Changes all;
  for (int i = 0; i < 60; ++i) {
    for (std::string& change : changes(book.take(kRow, host.round(), {}))) all.push_back(std::move(change));
  }
  EXPECT_EQ(all, Changes{"cleared 41"});
}

TEST_F(BookTest, AClockThatIsSetBackDelaysNoEnd) {
  see({hot()});
  see({hot()}, -7200);
  EXPECT_EQ(quiet(60), Changes{"cleared 1"});
}

TEST_F(BookTest, WhatIsCriticalOfAGpuThatIsGoneIsForAPersonToClear) {
  see({hot(Severity::critical)});
  host_.reading().uuid = "GPU-other";
  EXPECT_EQ(quiet(3600), Changes{});
  EXPECT_TRUE(book_.clear(1, "ada", host_.now_ns()));
  see({hot(Severity::warning)});
  host_.reading().uuid = "GPU-0";
  EXPECT_EQ(quiet(60), Changes{"cleared 2"}) << "what was no more than a warning goes with its GPU";
}

TEST_F(BookTest, XidsThatBelongToItStay) {
  Observation seen = hot();
  seen.xids = {154};
  see({seen});
  EXPECT_EQ(see({hot()}), Changes{});
  EXPECT_EQ(book_.open()[0].xids, (std::vector<int64_t>{154}));
}

}  // namespace incident_book_test
}  // namespace sonde::monitor
