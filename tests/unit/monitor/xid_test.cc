#include <set>

#include "monitor/monitor_rounds.h"
#include "monitor/xid/catalogue.h"
#include "monitor/xid/group.h"

namespace sonde::monitor {
namespace xid_test {

using Codes = std::vector<int64_t>;

/// Codes of the table of classes that users have (monitoring of production GPUs), with the class that it gives.
TEST(XidCatalogue, HasTheKnownClasses) {
  struct Class {
    XidBucket bucket;
    Codes codes;
  };
  const std::vector<Class> classes = {
      {XidBucket::restart_app, {13, 31, 32, 25, 11, 94}},
      {XidBucket::ignore, {43, 63, 92, 137, 157}},
      {XidBucket::workflow_45, {45}},
      {XidBucket::workflow_48, {48}},
      {XidBucket::reset_gpu, {46, 62, 64, 95, 109, 110, 119, 120, 136, 140, 143, 155, 156, 158}},
      {XidBucket::nvlink, {74}},
      {XidBucket::nvlink5, {144, 145, 146, 147, 148, 149, 150}},
      {XidBucket::restart_bm, {79}},
      {XidBucket::restart_vm, {151}},
      {XidBucket::recovery, {154}},
  };
  for (const Class& one : classes) {
    for (const int64_t code : one.codes) {
      EXPECT_EQ(bucket_name(find_xid(code).bucket), bucket_name(one.bucket)) << code;
    }
  }
}

TEST(XidCatalogue, SaysWhatEachMeansAndWhatToDo) {
  std::set<int64_t> seen;
  for (const Xid& xid : xids()) {
    EXPECT_TRUE(seen.insert(xid.code).second) << xid.code << " twice";
    EXPECT_FALSE(incident_text(fmt::format("xid_{}", xid.code)).empty()) << xid.code;
    EXPECT_FALSE(incident_text(fmt::format("xid_{}.action", bucket_name(xid.bucket))).empty()) << xid.code;
  }
  EXPECT_EQ(xid_meaning(9999), incident_text("xid.unknown"));
  EXPECT_EQ(bucket_name(find_xid(9999).bucket), "contact_support");
}

TEST(XidDetector, IsOneIncidentWithTheCauseFirst) {
  Watched watched("xid");
  watched.host.xid(45, 0, 1.5);
  watched.host.xid(13, 0, 1);
  watched.host.xid(43, 0, 2);
  const auto found = watched.look();
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].xids, (Codes{13, 45, 43}));
  EXPECT_EQ(found[0].severity, Severity::warning);
  EXPECT_EQ(
      watched.book.open().at(0).summary,
      "GPU 0 reported XID 13: graphics engine exception in a kernel, mostly an out-of-bounds access or an illegal "
      "instruction (followed by XID 45, 43).");
}

TEST(XidDetector, PutsACauseThatComesLaterFirst) {
  Watched watched("xid");
  watched.host.xid(45, 0, 0);
  EXPECT_TRUE(watched.look(1).empty()) << "its cause may still come";
  watched.host.xid(31, 0, 0);
  EXPECT_EQ(watched.look(1).at(0).xids, (Codes{31, 45}));
  EXPECT_EQ(watched.book.open().at(0).times_seen, 1);
}

TEST(XidDetector, KeepsTwoCausesApart) {
  Watched watched("xid");
  watched.host.xid(13, 0, 1);
  watched.host.xid(31, 0, 2);
  watched.host.xid(13, 0, 60);
  EXPECT_EQ(watched.look().size(), 2);
}

TEST(XidDetector, GivesAllToAGpuThatFellOffTheBus) {
  Watched watched("xid");
  watched.host.xid(119, 0, 1);
  watched.host.xid(79, 0, 2);
  watched.host.xid(45, 0, 3);
  const auto found = watched.look();
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].xids, (Codes{79, 119, 45}));
  EXPECT_EQ(found[0].text, "xid_restart_bm");
  EXPECT_EQ(found[0].severity, Severity::critical);
}

TEST(XidDetector, ToldApartAreDoubleBitErrorsWithAndWithoutRemapping) {
  Watched alone("xid");
  alone.host.xid(48);
  EXPECT_EQ(alone.look().at(0).text, "xid_workflow_48");
  Watched remapped("xid");
  remapped.host.xid(48, 0, 0);
  remapped.host.xid(63, 0, 1);
  remapped.host.xid(94, 0, 1);
  remapped.host.xid(45, 0, 2);
  const auto found = remapped.look();
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].text, "xid_drain_and_reset");
  EXPECT_EQ(found[0].xids, (Codes{48, 63, 94, 45}));
}

TEST(XidDetector, FollowsTheRecoveryActionThatXid154Carries) {
  Watched watched("xid");
  watched.host.xid(145, 0, 0);
  watched.host.xid(154, 0, 1);
  watched.host.reading().recovery_action = 2;
  watched.look();
  const auto found = watched.look();
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].text, "xid_restart_bm");
  EXPECT_EQ(found[0].severity, Severity::critical);
  watched.host.reading().recovery_action = 0;
  EXPECT_TRUE(watched.look().empty()) << "it was done";
}

TEST(XidDetector, CountsWhatComesAgain) {
  Watched watched("xid");
  for (int i = 0; i < 3; ++i) {
    watched.host.xid(31);
    watched.look_for(60);
  }
  ASSERT_EQ(watched.book.open().size(), 1);
  EXPECT_EQ(watched.book.open()[0].times_seen, 3);
  EXPECT_TRUE(watched.book.open()[0].summary.ends_with("(page fault), 3 times."));
}

TEST(XidDetector, IgnoredOnesAreInfoAndPass) {
  Watched watched("xid");
  watched.host.xid(63);
  const auto found = watched.look();
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].severity, Severity::info);
  EXPECT_EQ(watched.look_for(280).size(), 1);
  EXPECT_TRUE(watched.look_for(60).empty());
}

TEST(XidDetector, AProgramsErrorEndsWithTheProgram) {
  Watched watched("xid");
  watched.host.reading().running = {
      {.pid = 7, .memory_used_bytes = {}, .gpu_instance = {}, .compute_instance = {}, .name = "train"}};
  watched.host.xid(13);
  EXPECT_EQ(watched.look_for(300).size(), 1) << "it is still there";
  watched.host.reading().running->clear();
  EXPECT_TRUE(watched.look().empty());
  watched.host.xid(13);
  watched.look();
  EXPECT_EQ(watched.look_for(40).size(), 1) << "shown for a minute at least";
}

TEST(XidDetector, AProgramsErrorEndsByTimeWhereProcessesAreNotKnown) {
  Watched watched("xid");
  watched.host.xid(13);
  EXPECT_EQ(watched.look_for(880).size(), 1);
  EXPECT_TRUE(watched.look_for(60).empty());
}

TEST(XidDetector, StaysUntilTheGpuWasReset) {
  Watched watched("xid");
  watched.host.reading().energy_millijoules = 1'000'000;
  watched.host.xid(95);
  EXPECT_EQ(watched.look_for(86400, 600).size(), 1);
  watched.host.reading().energy_millijoules = 10;
  EXPECT_TRUE(watched.look().empty()) << "counters began anew";
  watched.host.xid(119);
  EXPECT_EQ(watched.look().size(), 1);
  watched.host.reopen();
  EXPECT_TRUE(watched.look().empty()) << "the driver was loaded again";
  watched.host.xid(79);
  watched.host.fail(device::FailureKind::lost);
  EXPECT_EQ(watched.look_for(86400, 600).size(), 1);
  watched.host.recover();
  EXPECT_TRUE(watched.look().empty()) << "it came back";
}

TEST(XidDetector, NamesGpusWithTheSameFaultAtOnce) {
  Watched watched("xid", 8);
  for (const size_t gpu : {1, 2, 5}) watched.host.xid(79, gpu, 0.1 * static_cast<double>(gpu));
  ASSERT_EQ(watched.look().size(), 3);
  EXPECT_EQ(watched.book.open().at(1).summary,
            "GPU 2 reported XID 79: the GPU has fallen off the bus. GPUs 1, 5 reported it at the same time.");
}

TEST(XidDetector, GoesOnAfterARestart) {
  Watched before("xid");
  before.host.xid(95);
  before.look();
  const std::vector<Incident> open = before.book.open();
  Watched same_boot("xid");
  same_boot.detector().restore(open, 0);
  EXPECT_EQ(same_boot.look_for(20).at(0).xids, (Codes{95}));
  Watched rebooted("xid");
  rebooted.detector().restore(open, open[0].opened_ns + 1);
  EXPECT_TRUE(rebooted.look_for(20).empty());
}

TEST(XidDetector, TakesAStormAsOneIncident) {
  Watched watched("xid");
  for (int i = 0; i < 10'000; ++i) watched.host.xid(i % 2 == 0 ? 31 : 45, 0, i * 1e-4);
  const auto found = watched.look();
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].happened, 5000);
  EXPECT_EQ(watched.news.size(), 1);
}

TEST(XidDetector, LeavesEventsOfUnknownGpusAlone) {
  Watched watched("xid");
  watched.host.xid(79, 3);
  EXPECT_TRUE(watched.look().empty());
}

TEST(XidDetector, WhatFollowedMayComeBeforeACauseThatHappensAgain) {
  Watched watched("xid");
  watched.host.xid(13);
  watched.look();
  watched.look_for(60);
  watched.host.xid(45);
  watched.look(1);
  watched.host.xid(13);
  watched.look(1);
  const auto found = watched.look_for(20, 1);
  ASSERT_EQ(found.size(), 1U) << "no trouble of its own";
  EXPECT_EQ(found[0].xids, (Codes{13, 45}));
}

TEST(XidDetector, AClockThatIsSetBackDelaysNoEnd) {
  Watched watched("xid");
  watched.host.xid(63);
  watched.look();
  EXPECT_FALSE(watched.look_for(60).empty());
  watched.look(-7200);
  EXPECT_TRUE(watched.look_for(360).empty());
}

TEST(XidDetector, KnowsItsGpuByItsPlaceWhereItHadNoUuid) {
  Incident old;
  old.detector = "xid";
  old.gpu_uuid = "gpu_0";
  old.subject = "95";
  old.xids = {95};
  Watched watched("xid");
  watched.detector().restore(std::vector{old}, -1);
  EXPECT_EQ(watched.look_for(20).size(), 1U);
}

}  // namespace xid_test
}  // namespace sonde::monitor
