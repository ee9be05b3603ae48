#include "dispatch/attempts.h"

namespace sonde::dispatch {
namespace executor_adopt_test {

using AdoptTest = Attempts;

TEST_F(AdoptTest, FollowsWhatRanOn) {
  start(1, {"line_when", scratch("lines").string(), "1", scratch("go").string()});
  const int64_t pid = first_process(1);
  reopen({{1, 1}});
  EXPECT_EQ(first_process(1), pid);
  EXPECT_EQ(executor_->task_of(pid), (std::optional<std::pair<int64_t, int64_t>>({1, 1})));
  EXPECT_EQ(ends_told(1), 0U);
  std::ofstream(scratch("go")) << "now";
  EXPECT_EQ(end_of(1).cause, EndCause::exit);
  EXPECT_EQ(end_of(1).exit_status, 0);
  EXPECT_EQ(lines_of(scratch("lines")), 1U);
}

TEST_F(AdoptTest, CancelsWhatRanOn) {
  start(1, {"goodbye"});
  ASSERT_TRUE(printed(1, "ready"));
  reopen({{1, 1}});
  executor_->cancel(1, 1);
  EXPECT_EQ(end_of(1).cause, EndCause::cancelled);
  EXPECT_EQ(log(1).text, "ready\nbye\n");
}

TEST_F(AdoptTest, TellsAnEndUntilItIsCollected) {
  start(1, {"exit", "7"});
  end_of(1);
  for (int i = 0; i < 3; ++i) {
    reopen({{1, 1}});
    EXPECT_EQ(end_of(1).exit_status, 7);
    EXPECT_EQ(ends_told(1), 1U);
  }
  executor_->collected(1, 1);
  start(2, {"nothing"});
  end_of(2);
  EXPECT_FALSE(std::filesystem::exists(files() / "live/1.1"));
}

TEST_F(AdoptTest, TellsWhatEndedWhileNobodyWasThere) {
  start(1, {"line_when", scratch("lines").string(), "1", scratch("go").string()});
  const int64_t keeper = keeper_of(1);
  close();
  std::ofstream(scratch("go")) << "now";
  ASSERT_TRUE(becomes_true([&] {
    const auto process = keeper::find_process(static_cast<pid_t>(keeper));
    return !process || process->state == 'Z';
  }));
  reopen({{1, 1}});
  EXPECT_EQ(end_of(1).exit_status, 0);
  EXPECT_EQ(lines_of(scratch("lines")), 1U);
}

TEST_F(AdoptTest, WhatNeverStartedCanBeStarted) {
  std::ofstream(files() / "live/2.1");  // made, and no keeper was started
  reopen({{1, 1}, {2, 1}});
  for (const int64_t task : {1, 2}) {
    EXPECT_EQ(end_of(task).cause, EndCause::not_started);
    EXPECT_EQ(end_of(task).message, "the service stopped before the task started");
  }
  ends_.clear();
  for (const int64_t task : {1, 2}) {
    start(task, {"exit", "5"});
    EXPECT_EQ(end_of(task).exit_status, 5);
  }
}

TEST_F(AdoptTest, AFileThatWasAnotherAttemptsTellsNothingOfThisOne) {
  start(1, {"exit", "7"});
  end_of(1);
  close();
  const auto file = files() / "live/1.1";
  ASSERT_TRUE(becomes_true([&] { return std::filesystem::file_size(file) == 2 * keeper::kRecordBytes; }));
  std::filesystem::copy_file(file, files() / "live/2.1");
  reopen({{1, 1}, {2, 1}});
  EXPECT_EQ(end_of(1).exit_status, 7);
  EXPECT_EQ(end_of(2).cause, EndCause::not_started);
}

TEST_F(AdoptTest, WhatVanishedIsLostAndItsOrphansEnd) {
  start(1, {"tree", "2", "2"});
  ASSERT_TRUE(becomes_true([&] { return processes().size() == 7; }));
  const auto keeper = static_cast<pid_t>(keeper_of(1));
  close();
  ASSERT_EQ(kill(keeper, SIGKILL), 0);
  ASSERT_TRUE(becomes_true([&] {
    const auto process = keeper::find_process(keeper);
    return !process || process->state == 'Z';
  }));
  reopen({{1, 1}});
  EXPECT_EQ(end_of(1).cause, EndCause::lost);
  EXPECT_TRUE(processes().empty());
}

TEST_F(AdoptTest, AfterARestartOfTheHostNothingIsSureToHaveNotRun) {
  start(1, {"wait"});
  const auto keeper = static_cast<pid_t>(keeper_of(1));
  close();
  ASSERT_EQ(kill(keeper, SIGKILL), 0);
  for (const auto& process : processes()) kill(process.pid, SIGKILL);
  ASSERT_TRUE(replace_file(files().string() + "/boot", "another start"));
  reopen({{1, 1}, {2, 1}});
  EXPECT_EQ(end_of(1).cause, EndCause::lost);
  EXPECT_EQ(end_of(2).cause, EndCause::lost);
  EXPECT_EQ(end_of(2).message, "the host went down");
}

TEST_F(AdoptTest, UntilWhatWasLostWithTheHostIsSavedItStaysLost) {
  ASSERT_TRUE(replace_file(files().string() + "/boot", "another start"));
  for (int i = 0; i < 2; ++i) {  // the first service is killed before it has saved what it was told
    reopen({{1, 1}, {2, 1}});
    EXPECT_EQ(end_of(1).cause, EndCause::lost);
    EXPECT_EQ(end_of(2).cause, EndCause::lost);
  }
  executor_->collected(1, 1);
  executor_->collected(2, 1);
  reopen({{3, 1}});
  EXPECT_EQ(end_of(3).cause, EndCause::not_started);
}

TEST_F(AdoptTest, EndsWhatNobodyKnows) {
  start(1, {"wait"});
  start(2, {"exit", "0"});
  EXPECT_NE(first_process(1), 0);
  end_of(2);
  reopen({});
  EXPECT_TRUE(becomes_true([&] { return live().empty(); }));
  EXPECT_TRUE(becomes_true([&] { return !std::filesystem::exists(executor_->folder_of(1, 1)); }));
  EXPECT_TRUE(processes().empty());
  EXPECT_TRUE(std::filesystem::exists(executor_->folder_of(2, 1)));  // its end was saved: only collecting it was left
  EXPECT_EQ(ends_told(1) + ends_told(2), 0U);
}

TEST_F(AdoptTest, ReadsTheWholeLogOfAnEarlierLife) {
  start(1, {"flood", "1600"});
  end_of(1);
  executor_->collected(1, 1);
  reopen({});
  EXPECT_EQ(log(1).text.size(), 1600U);
  EXPECT_TRUE(log(1).is_whole);
}

}  // namespace executor_adopt_test
}  // namespace sonde::dispatch
