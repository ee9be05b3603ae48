#include <filesystem>

#include <unistd.h>

#include <gtest/gtest.h>

#include "gate/decide/decision.h"
#include "gate/gate_records.h"
#include "gate/record/record_json.h"
#include "gate/store/baseline_store.h"
#include "gate/store/choose_baseline.h"
#include "report/text/sentence.h"

namespace sonde::gate {
namespace gate_sessions_test {

RunRecord wall_record(double seconds, const std::string& host = "a") {
  RunRecord record;
  record.source = "sleep";
  record.conditions = {{"kind", "wall time"}, {"tool", "sonde gate run"}, {"host", host}};
  record.wall_ns = record.extent_ns = static_cast<int64_t>(seconds * 1e9);
  return record;
}

std::vector<RunRecord> session_of(double seconds) {
  return {wall_record(0.99 * seconds), wall_record(seconds), wall_record(1.01 * seconds)};
}

/// Sessions whose means differ by 2 % from one to the next.
EarlierSessions earlier_of(size_t count) {
  EarlierSessions earlier;
  for (size_t i = 0; i < count; ++i) earlier.sessions.push_back({.runs = session_of(i % 2 == 0 ? 1 : 1.02)});
  return earlier;
}

Verdict judged(size_t sessions, double seconds, const std::string& rule = "{metric: wall_time, max_change: 3 %}") {
  const Budget budget = budget_of(rule);
  const EarlierSessions earlier = earlier_of(sessions);
  const std::vector<RunRecord> base = sessions == 0 ? std::vector<RunRecord>() : earlier.sessions.back().runs;
  DecideOptions options;
  options.earlier = &earlier;
  Verdict verdict = decide(budget, base, session_of(seconds), options).verdicts.at(0);
  EXPECT_FALSE(reason_text(verdict.reason).empty());
  EXPECT_FALSE(comparing_sentence(reason_text(verdict.reason), verdict.arguments).empty());
  verdict.rule = nullptr;
  return verdict;
}

TEST(GateSessions, LearnsFromTenEntries) {
  const Verdict first = judged(0, 1);
  EXPECT_EQ(first.outcome, Outcome::learning);
  EXPECT_EQ(first.reason, "learning_first");
  const Verdict learning = judged(7, 2);
  EXPECT_EQ(learning.outcome, Outcome::learning);
  EXPECT_EQ(exit_code(learning.outcome), 0);
  EXPECT_TRUE(comparing_sentence(reason_text(learning.reason), learning.arguments).contains("3 more are needed"));
  EXPECT_NE(judged(10, 1).outcome, Outcome::learning);
}

TEST(GateSessions, FailsWhatIsFurtherOutThanSessionsAre) {
  EXPECT_EQ(judged(12, 1.01).reason, "session_same");
  const Verdict worse = judged(12, 1.3);
  EXPECT_EQ(worse.outcome, Outcome::fail);
  EXPECT_EQ(worse.reason, "session_worse");
  EXPECT_EQ(judged(12, 0.7).reason, "session_better");
}

/// 3 % is allowed, and the session is worse than that by its runs; but sessions lie so far apart.
TEST(GateSessions, DoesNotTakeAnotherSessionForAnotherProgram) {
  EXPECT_EQ(judged(12, 1.04).outcome, Outcome::inconclusive);
}

TEST(GateSessions, SaysHowManySessionsWouldDecide) {
  size_t open = 0;
  size_t near = 0;
  for (double seconds = 1.02; seconds < 1.2; seconds += 0.002) {
    const Verdict verdict = judged(10, seconds);
    if (verdict.outcome != Outcome::inconclusive) continue;
    const auto decides = std::ranges::find(verdict.arguments, "decides", &Argument::name);
    if (decides == verdict.arguments.end()) {
      ++near;
      EXPECT_EQ(verdict.reason, "session_near");
      EXPECT_EQ(judged(30, seconds).outcome, Outcome::inconclusive) << seconds;
      continue;
    }
    ++open;
    EXPECT_EQ(verdict.reason, "session_open");
    EXPECT_NE(judged(static_cast<size_t>(decides->number), seconds).outcome, Outcome::inconclusive) << seconds;
  }
  EXPECT_GT(open, 0);
  EXPECT_GT(near, 0);
}

TEST(GateSessions, ExactMetricsNeedNoSessions) {
  const Budget budget = budget_of("{metric: kernels_per_step}");
  const std::vector<RunRecord> base = {record_with({kernel_group("gemm", 100)})};
  const std::vector<RunRecord> changed = {record_with({kernel_group("gemm", 100, 2)})};
  const EarlierSessions earlier{.sessions = {{.runs = base}}};
  DecideOptions options;
  options.earlier = &earlier;
  EXPECT_EQ(decide(budget, base, changed, options).combined.outcome, Outcome::fail);
}

TEST(GateSessions, LearningIsTheVerdictWhereNothingElseIsOpen) {
  const std::vector<BudgetRule> rules = budget_of("wall_time <= 1 s").rules;
  const auto verdict = [&](Outcome outcome) { return Verdict{.rule = &rules[0], .subject = "x", .outcome = outcome}; };
  const std::vector<Verdict> learning = {verdict(Outcome::pass), verdict(Outcome::learning)};
  EXPECT_EQ(combine(learning).outcome, Outcome::learning);
  const std::vector<Verdict> failing = {verdict(Outcome::learning), verdict(Outcome::fail)};
  EXPECT_EQ(combine(failing).outcome, Outcome::fail);
}

/// Sides that are known not to be interleaved.
TEST(GateSessions, SaysThatSidesWereMadeOneAfterTheOther) {
  const Budget budget = budget_of("{metric: wall_time, max_change: 3 %}");
  std::vector<RunRecord> base = session_of(1);
  std::vector<RunRecord> changed = session_of(1);
  const auto notes = [&] { return fmt::format("{}", fmt::join(decide(budget, base, changed, {}).notes, "\n")); };
  EXPECT_FALSE(notes().contains("before those of the other"));
  for (size_t i = 0; i < base.size(); ++i) {
    base[i].session.started_s = 1000 + static_cast<int64_t>(i);
    changed[i].session.started_s = 2000 + static_cast<int64_t>(i);
  }
  EXPECT_TRUE(notes().contains("before those of the other"));
  changed[0].session.started_s = 1001;
  EXPECT_FALSE(notes().contains("before those of the other"));
}

TEST(GateSessions, ARecordKeepsItsSession) {
  RunRecord record = wall_record(1);
  record.session = {.started_s = 1767225600, .boot = "8f1c", .load = 1.5};
  const auto read = parse_record(record_json(record));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->session.started_s, 1767225600);
  EXPECT_EQ(read->session.boot, "8f1c");
  EXPECT_EQ(read->session.load, 1.5);
}

BaselineEntry entry_of(int64_t time_s, const std::string& host) {
  return {.name = "main",
          .id = fmt::format("{}-{}", time_s, host),
          .time_s = time_s,
          .conditions = wall_record(1, host).conditions};
}

TEST(GateSessions, AreThoseOfTheHostWhereItHasEnough) {
  std::vector<BaselineEntry> entries;
  for (int i = 0; i < 12; ++i) entries.push_back(entry_of(i, "a"));
  for (int i = 12; i < 15; ++i) entries.push_back(entry_of(i, "b"));
  EXPECT_EQ(sessions_for(entries, wall_record(1, "a").conditions).size(), 12U);
  EXPECT_EQ(sessions_for(entries, wall_record(1, "b").conditions).size(), 3U);
  EXPECT_EQ(sessions_for(entries, wall_record(1, "c").conditions).size(), 0U);
}

TEST(GateSessions, AreThoseOfAllHostsWhereThereAreMany) {
  std::vector<BaselineEntry> entries;
  for (int i = 0; i < 11; ++i) entries.push_back(entry_of(i, fmt::format("pod-{}", i)));
  EXPECT_EQ(sessions_for(entries, wall_record(1, "pod-99").conditions).size(), 11U);
}

TEST(GateSessions, AreTheNewestThirty) {
  std::vector<BaselineEntry> entries;
  for (int i = 0; i < 40; ++i) entries.push_back(entry_of(i, "a"));
  const auto sessions = sessions_for(entries, wall_record(1).conditions);
  ASSERT_EQ(sessions.size(), kMostSessions);
  EXPECT_EQ(sessions.front().time_s, 10);
}

class GateSessionStore : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(store_); }
  std::string store_ = (std::filesystem::temp_directory_path() / fmt::format("sonde_sessions_{}", getpid())).string();
};

TEST_F(GateSessionStore, EntriesAreTheSessions) {
  for (int i = 0; i < 3; ++i) {
    const auto added = add_baseline(store_, {.name = "main", .time_s = 1000 + i, .pinned = i == 1, .new_level = i == 2},
                                    session_of(1 + i));
    ASSERT_TRUE(added) << added.error().message;
  }
  const auto chosen = baseline_records(store_, "main", wall_record(1).conditions);
  ASSERT_TRUE(chosen) << chosen.error().message;
  ASSERT_EQ(chosen->earlier.sessions.size(), 3U);
  EXPECT_EQ(chosen->earlier.level, 1U);
  EXPECT_TRUE(chosen->earlier.sessions[2].new_level);
  EXPECT_EQ(chosen->records.front().wall_ns, 1'980'000'000);
  EXPECT_TRUE(chosen->records.front().source.ends_with("/run-1")) << chosen->records.front().source;
}

}  // namespace gate_sessions_test
}  // namespace sonde::gate
