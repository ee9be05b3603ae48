#include "base/system/subprocess.h"

#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

namespace sonde {
namespace subprocess_test {

std::string content(const std::string& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class SubprocessTest : public ::testing::Test {
 protected:
  std::string output_ = testing::TempDir() + "subprocess_output." + std::to_string(getpid());
  std::unique_ptr<SubprocessRunner> runner_ = system_subprocess_runner(1'000'000);

  SubprocessEnd ran(Subprocess program) {
    program.output_file = output_;
    const auto end = runner_->run(program);
    EXPECT_TRUE(end) << end.error().message;
    return end.value_or(SubprocessEnd{});
  }
  void TearDown() override { std::filesystem::remove(output_); }
};

TEST_F(SubprocessTest, gives_status_output_and_time) {
  const SubprocessEnd end = ran({.words = {"sh", "-c", "echo out; echo err >&2; exit 3"}});
  EXPECT_EQ(end.status, 3);
  EXPECT_FALSE(end.succeeded());
  EXPECT_EQ(end_text(end), "exit status 3");
  EXPECT_GT(end.wall_ns, 0);
  EXPECT_EQ(content(output_), "out\nerr\n");
}

TEST_F(SubprocessTest, words_reach_the_program_as_they_are) {
  EXPECT_TRUE(ran({.words = {"printf", "%s|", "a b", "$HOME", "*", ""}}).succeeded());
  EXPECT_EQ(content(output_), "a b|$HOME|*||");
}

TEST_F(SubprocessTest, environment_is_added_and_replaced_and_the_folder_changed) {
  Subprocess program{.words = {"sh", "-c", "echo $SONDE_ADDED $HOME; pwd; env | grep -c ^HOME="}};
  program.environment = {{"SONDE_ADDED", "1"}, {"HOME", "elsewhere"}};
  program.folder = "/";
  EXPECT_TRUE(ran(program).succeeded());
  EXPECT_EQ(content(output_), "1 elsewhere\n/\n1\n");
}

TEST_F(SubprocessTest, nothing_is_on_standard_input) {
  EXPECT_TRUE(ran({.words = {"cat"}}).succeeded());
  EXPECT_EQ(content(output_), "");
}

TEST_F(SubprocessTest, a_program_that_is_not_there) {
  const auto end = runner_->run({.words = {"no-such-program-here"}});
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().message,
            "cannot run no-such-program-here: No such file or directory; is it installed, and in PATH?");
}

TEST_F(SubprocessTest, a_signal_that_ended_it) {
  const SubprocessEnd end = ran({.words = {"sh", "-c", "kill -9 $$"}});
  EXPECT_EQ(end.signal, SIGKILL);
  EXPECT_EQ(end_text(end), "killed by signal 9 (Killed)");
}

TEST_F(SubprocessTest, a_time_limit_ends_it_and_what_it_started) {
  const SubprocessEnd end = ran({.words = {"sh", "-c", "trap '' TERM; sleep 600 & wait"}, .time_limit_ns = 1'000'000});
  EXPECT_TRUE(end.timed_out);
  EXPECT_FALSE(end.interrupted);
  EXPECT_FALSE(end.succeeded());
  EXPECT_EQ(end_text(end), "stopped after its time limit");
}

TEST_F(SubprocessTest, a_signal_to_this_program_ends_it_and_what_comes_after) {
  const SubprocessEnd end = ran({.words = {"sh", "-c", "kill -INT $PPID; exec sleep 600"}});
  EXPECT_TRUE(end.interrupted);
  EXPECT_TRUE(runner_->interrupted());
  EXPECT_TRUE(ran({.words = {"sh", "-c", "echo ran"}}).interrupted);
  EXPECT_EQ(content(output_), "");
}

TEST_F(SubprocessTest, a_signal_that_another_thread_may_take_does_not_end_this_program) {
  runner_.reset();
  std::mutex mutex;
  std::condition_variable_any never;
  // Begun before the runner: a thread inherits the mask of signals of the one that begins it.
  const std::jthread other([&](const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    never.wait(lock, stop, [] { return false; });
  });
  for (const std::string name : {"INT", "TERM", "HUP"}) {
    runner_ = system_subprocess_runner(1'000'000);
    EXPECT_TRUE(ran({.words = {"sh", "-c", "kill -" + name + " $PPID; exec sleep 600"}}).interrupted) << name;
    runner_.reset();
  }
}

TEST_F(SubprocessTest, a_signal_that_is_ignored_stays_so) {
  runner_.reset();
  const auto before = std::signal(SIGHUP, SIG_IGN);
  runner_ = system_subprocess_runner();
  EXPECT_TRUE(ran({.words = {"sh", "-c", "kill -HUP $PPID"}}).succeeded());
  EXPECT_FALSE(runner_->interrupted());
  runner_.reset();
  EXPECT_EQ(std::signal(SIGHUP, before), SIG_IGN);
}

volatile std::sig_atomic_t taken = 0;

TEST_F(SubprocessTest, a_signal_that_nobody_asked_for_is_not_lost) {
  runner_.reset();
  const auto before = std::signal(SIGTERM, [](int) { taken = taken + 1; });
  runner_ = system_subprocess_runner();
  raise(SIGTERM);
  EXPECT_EQ(taken, 0);
  runner_.reset();
  EXPECT_EQ(taken, 1);
  runner_ = system_subprocess_runner();
  raise(SIGTERM);
  EXPECT_TRUE(runner_->interrupted());
  runner_.reset();
  EXPECT_EQ(taken, 1);
  std::signal(SIGTERM, before);
}

TEST_F(SubprocessTest, the_output_of_a_short_program) {
  EXPECT_EQ(output_of(*runner_, {.words = {"echo", "x"}}, output_), "x\n");
  EXPECT_EQ(output_of(*runner_, {.words = {"false"}}, output_).error().message, "false: exit status 1");
  EXPECT_FALSE(std::filesystem::exists(output_));
}

}  // namespace subprocess_test
}  // namespace sonde
