#include <sys/stat.h>

#include <cstdlib>

#include "dispatch/attempts.h"

namespace sonde::dispatch {
namespace executor_test {

using ExecutorTest = Attempts;

#if defined(__has_feature)
constexpr bool kIsSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kIsSanitized = false;
#endif

/// What `hostile_task flood` prints at an offset.
std::string flood_at(int64_t from, size_t size) {
  std::string text;
  for (int64_t line = from / 16 * 16; text.size() < size + 16; line += 16) text += fmt::format("{:015}\n", line);
  return text.substr(static_cast<size_t>(from % 16), size);
}

TEST_F(ExecutorTest, TellsTheExitStatus) {
  start(1, {"nothing"});
  start(2, {"exit", "3"});
  EXPECT_EQ(end_of(1).cause, EndCause::exit);
  EXPECT_EQ(end_of(1).exit_status, 0);
  EXPECT_EQ(end_of(1).message, "");
  EXPECT_GT(end_of(1).ended_ns, 0);
  EXPECT_EQ(end_of(2).cause, EndCause::exit);
  EXPECT_EQ(end_of(2).exit_status, 3);
}

TEST_F(ExecutorTest, TellsEachSignal) {
  const std::set<int> harmless = {SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};
  std::vector<int> signals;
  for (int signal = 1; signal < 32; ++signal) {
    if (!harmless.contains(signal)) signals.push_back(signal);
  }
  for (const int signal : signals) start(signal, {"signal", std::to_string(signal)});
  for (const int signal : signals) {
    EXPECT_EQ(end_of(signal).cause, EndCause::signal) << signal;
    EXPECT_EQ(end_of(signal).signal, signal);
    EXPECT_FALSE(end_of(signal).exit_status) << signal;
  }
}

TEST_F(ExecutorTest, KeepsBothStreamsByteForByte) {
  start(1, {"binary"});
  start(2, {"flood", "160", "stderr"});
  std::string all;
  for (int i = 0; i < 256; ++i) all.push_back(static_cast<char>(i));
  end_of(1);
  end_of(2);
  EXPECT_EQ(log(1).text, all);
  EXPECT_TRUE(log(1).is_whole);
  EXPECT_EQ(log(1, LogStream::err).text, "");
  EXPECT_EQ(log(2, LogStream::out).text, "");
  EXPECT_EQ(log(2, LogStream::err).text, flood_at(0, 160));
  EXPECT_EQ(log(2, LogStream::err, 100, 10).text, flood_at(100, 10));
  EXPECT_EQ(log(2, LogStream::err, 100, 10).next, 110);
  EXPECT_FALSE(log(2, LogStream::err, 100, 10).is_whole);
  EXPECT_EQ(log(2, LogStream::err, -30).from, 130);
  EXPECT_EQ(log(2, LogStream::err, -30).text, flood_at(130, 30));
  EXPECT_EQ(log(2, LogStream::err, 1000).text, "");
  EXPECT_EQ(log(2, LogStream::err, 1000).next, 160);
}

TEST_F(ExecutorTest, LeavesTheMiddleOfAFloodOutAndCountsIt) {
  constexpr int64_t kPrinted = 64 << 20;
  constexpr int64_t kLimit = 1 << 20;
  Launch launch = launch_of(1, {"flood", std::to_string(kPrinted)});
  launch.output_limit_bytes = kLimit;
  executor_->start(launch);
  EXPECT_EQ(end_of(1).exit_status, 0);
  EXPECT_EQ(log(1).text, flood_at(0, kLimit / 2));
  EXPECT_EQ(log(1).next, kLimit / 2);
  EXPECT_FALSE(log(1).is_whole);
  const LogPart tail = log(1, LogStream::out, kLimit / 2, kPrinted);
  EXPECT_EQ(tail.next, kPrinted);
  EXPECT_TRUE(tail.is_whole);
  EXPECT_EQ(tail.left_out_bytes, kPrinted - kLimit);
  EXPECT_EQ(tail.text, flood_at(kPrinted - kLimit / 2, kLimit / 2));
  EXPECT_EQ(log(1, LogStream::out, -100).text, flood_at(kPrinted - 100, 100));
  EXPECT_EQ(log(1, LogStream::out, -100).left_out_bytes, 0);
}

TEST_F(ExecutorTest, ReadsAFloodWhileItIsWritten) {
  Launch launch = launch_of(1, {"flood", "-1"});
  launch.output_limit_bytes = 256 << 10;
  executor_->start(launch);
  int64_t seen = 0;
  EXPECT_TRUE(becomes_true([&] {
    const LogPart part = log(1, LogStream::out, seen);
    EXPECT_EQ(part.text, flood_at(part.from + part.left_out_bytes, part.text.size()));
    EXPECT_EQ(part.next, part.from + part.left_out_bytes + static_cast<int64_t>(part.text.size()));
    EXPECT_FALSE(part.is_whole);
    seen = part.next;
    return seen > 100 << 20;
  }));
  struct stat head{};
  struct stat tail{};
  ASSERT_EQ(stat((executor_->folder_of(1, 1) + ".stdout").c_str(), &head), 0);
  ASSERT_EQ(stat((executor_->folder_of(1, 1) + ".stdout.tail").c_str(), &tail), 0);
  EXPECT_LE(head.st_size + tail.st_size, (256 + 64 + 4) << 10);
  executor_->cancel(1, 1);
  EXPECT_EQ(end_of(1).cause, EndCause::cancelled);
}

TEST_F(ExecutorTest, KeepsItsMemorySmallUnderAFlood) {
  if (kIsSanitized) GTEST_SKIP() << "sanitizers take memory of their own";
  start(1, {"flood", "-1"});
  EXPECT_TRUE(becomes_true([&] { return log(1, LogStream::out, -1).next > 100 << 20; }));
  std::ifstream status("/proc/" + std::to_string(keeper_of(1)) + "/status");
  int64_t peak_kib = 0;
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) peak_kib = atoll(line.c_str() + 6);
  }
  EXPECT_GT(peak_kib, 0);
  EXPECT_LT(peak_kib, 4 << 10);
}

TEST_F(ExecutorTest, EndsAtTheTimeLimitWhatDoesNotListen) {
  Launch launch = launch_of(1, {"deaf"});
  launch.time_limit_ns = 1'000'000;
  launch.grace_ns = 1'000'000;
  executor_->start(launch);
  EXPECT_EQ(end_of(1).cause, EndCause::time_limit);
  EXPECT_EQ(end_of(1).signal.value_or(SIGTERM), end_of(1).signal == SIGKILL ? SIGKILL : SIGTERM);
}

TEST_F(ExecutorTest, CancelsPolitelyAndThenNot) {
  start(1, {"goodbye"});
  Launch deaf = launch_of(2, {"deaf"});
  deaf.grace_ns = 1'000'000;
  executor_->start(deaf);
  ASSERT_TRUE(printed(1, "ready"));
  ASSERT_TRUE(printed(2, "ready"));
  executor_->cancel(1, 1);
  executor_->cancel(2, 1);
  EXPECT_EQ(end_of(1).cause, EndCause::cancelled);
  EXPECT_EQ(end_of(1).exit_status, 0);
  EXPECT_EQ(end_of(1).message, "");
  EXPECT_EQ(log(1).text, "ready\nbye\n");
  EXPECT_EQ(end_of(2).cause, EndCause::cancelled);
  EXPECT_EQ(end_of(2).signal, SIGKILL);
  EXPECT_NE(end_of(2).message.find("was killed"), std::string::npos) << end_of(2).message;
}

TEST_F(ExecutorTest, CancelsWhatIsNotStartedYet) {
  start(1, {"wait"});
  executor_->cancel(1, 1);
  EXPECT_EQ(end_of(1).cause, EndCause::cancelled);
  EXPECT_TRUE(processes().empty());
}

TEST_F(ExecutorTest, CancelsOneThatIsStopped) {
  start(1, {"stopped"});
  const auto pid = static_cast<pid_t>(first_process(1));
  ASSERT_TRUE(becomes_true([&] { return keeper::find_process(pid)->state == 'T'; }));
  executor_->cancel(1, 1);
  EXPECT_EQ(end_of(1).cause, EndCause::cancelled);
  EXPECT_EQ(end_of(1).signal, SIGTERM);
}

TEST_F(ExecutorTest, FollowsOneThatClosedItsOutput) {
  start(1, {"silent"});
  const auto pid = static_cast<pid_t>(first_process(1));
  ASSERT_TRUE(becomes_true([&] { return !std::filesystem::exists(fmt::format("/proc/{}/fd/1", pid)); }));
  EXPECT_EQ(ends_told(1), 0U);
  executor_->cancel(1, 1);
  EXPECT_EQ(end_of(1).cause, EndCause::cancelled);
}

TEST_F(ExecutorTest, EndsAWholeTree) {
  start(1, {"tree", "3", "4"});
  ASSERT_TRUE(becomes_true([&] { return processes().size() == 85; }));  // 1 + 4 + 16 + 64
  executor_->cancel(1, 1);
  EXPECT_EQ(end_of(1).cause, EndCause::cancelled);
  EXPECT_TRUE(processes().empty());
}

TEST_F(ExecutorTest, EndsATreeThatGoesOnGrowing) {
  Launch launch = launch_of(1, {"breed", "2000"});
  launch.grace_ns = 1'000'000;
  executor_->start(launch);
  EXPECT_EQ(end_of(1).cause, EndCause::exit);  // the first one ends at once and leaves the others
  EXPECT_TRUE(processes().empty());
}

TEST_F(ExecutorTest, EndsWhatTheFirstProcessLeft) {
  start(1, {"escape"});
  Launch deaf = launch_of(2, {"escape_deaf"});
  deaf.grace_ns = 1'000'000;
  executor_->start(deaf);
  start(3, {"tree", "1", "3", "leave"});
  for (const int64_t task : {1, 2, 3}) {
    EXPECT_EQ(end_of(task).cause, EndCause::exit);
    EXPECT_EQ(end_of(task).exit_status, 0);
  }
  EXPECT_NE(end_of(3).message.find("left processes running"), std::string::npos) << end_of(3).message;
  EXPECT_TRUE(processes().empty());
}

TEST_F(ExecutorTest, ATaskWhoseKeeperWasKilledIsLostAndNothingOfItIsLeft) {
  start(1, {"tree", "2", "2"});
  ASSERT_TRUE(becomes_true([&] { return processes().size() == 7; }));
  ASSERT_EQ(kill(static_cast<pid_t>(keeper_of(1)), SIGKILL), 0);
  EXPECT_EQ(end_of(1).cause, EndCause::lost);
  EXPECT_TRUE(processes().empty());
}

TEST_F(ExecutorTest, KeepersSayOfWhichAttemptTheyAre) {
  start(1, {"wait"});
  std::ifstream file("/proc/" + std::to_string(keeper_of(1)) + "/cmdline");
  const std::string words{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(
      words.starts_with(std::string("sonde-keeper\0"
                                    "1.1\0",
                                    17)))
      << words;
  executor_->cancel(1, 1);
  end_of(1);
}

TEST_F(ExecutorTest, AStarterOfKeepersThatWasKilledIsStartedAgain) {
  start(1, {"wait"});
  const int64_t keeper = keeper_of(1);
  size_t killed = 0;
  for (const auto& process : keeper::all_processes()) {
    if (process.parent != getpid() || process.pid == keeper || process.state == 'Z') continue;
    killed += kill(process.pid, SIGKILL) == 0 ? 1U : 0U;
    ASSERT_TRUE(becomes_true([&] { return keeper::find_process(process.pid)->state == 'Z'; }));
  }
  ASSERT_EQ(killed, 1U);
  start(2, {"exit", "3"});
  EXPECT_EQ(end_of(2).exit_status, 3);
  EXPECT_EQ(keeper_of(1), keeper);
  executor_->cancel(1, 1);
  EXPECT_EQ(end_of(1).cause, EndCause::cancelled);
}

TEST_F(ExecutorTest, FilesOfAttemptsAreUsedAgain) {
  constexpr int64_t kTasks = 40;
  for (int64_t task = 1; task <= kTasks; ++task) {
    start(task, {"exit", std::to_string(task)});
    EXPECT_EQ(end_of(task).exit_status, task);
    const int64_t keeper = keeper_of_file(task);
    executor_->collected(task, 1);
    ASSERT_TRUE(becomes_true([&] { return !keeper::find_process(static_cast<pid_t>(keeper)); }));
  }
  EXPECT_TRUE(becomes_true([&] { return live().empty(); }));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(files() / "live"), {}), 1);
}

TEST_F(ExecutorTest, AKeeperThatSomebodyElseToldToEndIsNoCancelling) {
  start(1, {"wait"});
  ASSERT_EQ(kill(static_cast<pid_t>(keeper_of(1)), SIGTERM), 0);
  EXPECT_EQ(end_of(1).cause, EndCause::lost);
  EXPECT_NE(end_of(1).message.find(fmt::format("process {} ", getpid())), std::string::npos) << end_of(1).message;
  EXPECT_TRUE(processes().empty());
}

TEST_F(ExecutorTest, AKeeperMindsNoOtherSignal) {
  start(1, {"wait"});
  const auto keeper = static_cast<pid_t>(keeper_of(1));
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU, SIGXFSZ}) {
    ASSERT_EQ(kill(keeper, signal), 0);
  }
  executor_->cancel(1, 1);
  EXPECT_EQ(end_of(1).cause, EndCause::cancelled);
}

TEST_F(ExecutorTest, SaysWhyAProgramWasNotStarted) {
  const auto text = scratch("text");
  std::ofstream(text) << "no program\n";
  const auto script = scratch("script");
  std::ofstream(script) << "echo no first line\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const auto expect = [&](int64_t task, std::vector<std::string> command, const std::string& folder,
                          const std::string& said) {
    Launch launch{.task = task,
                  .command = std::move(command),
                  .environment = {},
                  .folder = folder,
                  .time_limit_ns = {},
                  .inference = {},
                  .worker_url = {}};
    executor_->start(launch);
    EXPECT_EQ(end_of(task).cause, EndCause::not_started);
    EXPECT_NE(end_of(task).message.find(said), std::string::npos) << end_of(task).message;
    EXPECT_FALSE(end_of(task).exit_status);
  };
  expect(1, {"no-such-program"}, "", "cannot start 'no-such-program': not found in PATH (");
  expect(2, {"/no/such/program"}, "", "cannot start '/no/such/program': No such file or directory");
  expect(3, {text.string()}, "", "Permission denied");
  expect(4, {script.string()}, "", "neither an executable for this machine nor a script that starts with #!");
  expect(5, {"true"}, "/no/such/folder", "cannot change to the folder '/no/such/folder': No such file or directory");
  expect(6, {"true"}, text.string(), "Not a directory");
}

TEST_F(ExecutorTest, GivesATaskItsEnvironmentItsFolderAndNothingElse) {
  ASSERT_EQ(setenv("SONDE_API_KEY", "secret", 1), 0);  // NOLINT(concurrency-mt-unsafe): no other thread reads it now
  ASSERT_EQ(setenv("SONDE_TEST_INHERITED", "yes", 1), 0);  // NOLINT(concurrency-mt-unsafe)
  Launch launch{.task = 1,
                .command = {"sh", "-c", "env; pwd; readlink /proc/self/fd/* | wc -l"},
                .environment = {{"CUDA_VISIBLE_DEVICES", "GPU-1"}, {"HOME", "/nowhere"}, {"LINES", "a\nb"}},
                .folder = {},
                .time_limit_ns = {},
                .inference = {},
                .worker_url = {}};
  executor_->start(launch);
  start(2, {"signals"});
  launch.task = 3;
  launch.command = {"sh", "-c", "pwd"};
  launch.folder = folder_.string();
  executor_->start(launch);
  EXPECT_EQ(end_of(1).exit_status, 0);
  unsetenv("SONDE_API_KEY");         // NOLINT(concurrency-mt-unsafe)
  unsetenv("SONDE_TEST_INHERITED");  // NOLINT(concurrency-mt-unsafe)
  const std::string text = log(1).text;
  for (const std::string line : {"CUDA_VISIBLE_DEVICES=GPU-1\n", "HOME=/nowhere\n", "LINES=a\nb\n", "SONDE_TASK=1.1\n",
                                 "SONDE_TEST_INHERITED=yes\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
  EXPECT_EQ(text.find("SONDE_API_KEY"), std::string::npos) << text;
  EXPECT_NE(text.find(fmt::format("SONDE_TASK_FOLDER={}\n", executor_->folder_of(1, 1))), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with(fmt::format("\n{}\n3\n", executor_->folder_of(1, 1)))) << text;
  end_of(2);
  // The C library ignores two signals of its own (32, 33) in what it spawns.
  EXPECT_TRUE(log(2).text == "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n" ||
              log(2).text == "SigBlk:\t0000000000000000\nSigIgn:\t0000000180000000\n")
      << log(2).text;
  end_of(3);
  EXPECT_EQ(log(3).text, folder_.string() + "\n");
  EXPECT_EQ(std::filesystem::status(executor_->folder_of(1, 1)).permissions(), std::filesystem::perms::owner_all);
}

TEST_F(ExecutorTest, ATaskIsNotSparedWhereTheServiceIs) {
  const auto score_of = [](const std::string& process) {
    std::ifstream file("/proc/" + process + "/oom_score_adj");
    int score = 0;
    file >> score;
    return score;
  };
  const int before = score_of("self");
  if (!(std::ofstream("/proc/self/oom_score_adj") << -100 << std::flush)) GTEST_SKIP() << "needs CAP_SYS_RESOURCE";
  start(1, {"wait"});
  EXPECT_EQ(score_of(std::to_string(first_process(1))), 0);
  const std::string keeper = std::to_string(keeper_of(1));
  EXPECT_TRUE(becomes_true([&] { return score_of(keeper) == -100; }));
  std::ofstream("/proc/self/oom_score_adj") << before;
  executor_->cancel(1, 1);
  end_of(1);
}

TEST_F(ExecutorTest, KnowsWhoseAProcessIs) {
  start(1, {"tree", "1", "2"});
  start(2, {"sh", "-c", "x"});
  ASSERT_TRUE(becomes_true([&] { return processes().size() >= 3; }));
  using Whose = std::optional<std::pair<int64_t, int64_t>>;
  for (const auto& process : keeper::all_processes()) {
    if (attempt_folder_of(process.pid) != executor_->folder_of(1, 1)) continue;
    EXPECT_EQ(executor_->task_of(process.pid), Whose({1, 1}));
    EXPECT_EQ(executor_->task_of(process.pid), Whose({1, 1}));
  }
  EXPECT_EQ(executor_->task_of(first_process(1)), Whose({1, 1}));
  EXPECT_EQ(executor_->task_of(getpid()), Whose());
  EXPECT_EQ(executor_->task_of(1), Whose());
  EXPECT_EQ(executor_->task_of(1 << 30), Whose());
  EXPECT_EQ(executor_->pid_of(3, 1), std::nullopt);
  executor_->cancel(1, 1);
  end_of(1);
  EXPECT_EQ(executor_->pid_of(1, 1), std::nullopt);
}

TEST_F(ExecutorTest, TellsThatMemoryOfTheGpuRanOut) {
  const auto say = [&](int64_t task, const std::string& script) {
    Launch launch = launch_of(task, {});
    launch.command = {"sh", "-c", script};
    executor_->start(launch);
    return end_of(task).cause;
  };
  EXPECT_EQ(say(1, "echo torch.OutOfMemoryError: CUDA out of memory. >&2; exit 1"), EndCause::out_of_memory);
  EXPECT_EQ(say(2, "echo cudaErrorMemoryAllocation; kill -ABRT $$"), EndCause::out_of_memory);
  EXPECT_EQ(say(3, "echo CUDA out of memory, smaller batch; exit 0"), EndCause::exit);
  EXPECT_EQ(say(4, "echo something else; exit 1"), EndCause::exit);
  EXPECT_EQ(end_of(1).exit_status, 1);
}

TEST_F(ExecutorTest, RemovesATaskAndCountsBytes) {
  Launch launch = launch_of(1, {"flood", "1048576"});
  executor_->start(launch);
  end_of(1);
  EXPECT_TRUE(becomes_true([&] { return executor_->bytes() >= 1 << 20; })) << executor_->bytes();
  EXPECT_LT(executor_->bytes(), 2 << 20);
  executor_->collected(1, 1);
  executor_->remove(1);
  EXPECT_TRUE(becomes_true([&] { return executor_->bytes() == 0; })) << executor_->bytes();
  const auto part = executor_->log(1, 1, LogStream::out, 0, 100);
  EXPECT_TRUE(part && !*part);
}

TEST_F(ExecutorTest, RemovesWhatATaskLockedUp) {
  Launch launch = launch_of(1, {});
  launch.command = {"sh", "-c", "mkdir -p a/b; touch a/b/c; chmod 0 a/b a"};
  executor_->start(launch);
  EXPECT_EQ(end_of(1).exit_status, 0);
  executor_->remove(1);
  EXPECT_TRUE(becomes_true([&] { return !std::filesystem::exists(executor_->folder_of(1, 1)); }));
}

TEST_F(ExecutorTest, RefusesAFolderThatIsInUse) {
  const auto second = Executor::open(files().string(), [](const EndReport&) {});
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("another service stores its tasks in"), std::string::npos)
      << second.error().message;
}

TEST_F(ExecutorTest, StartsAnAttemptOnceHoweverOftenItIsAsked) {
  const auto counted = scratch("lines");
  for (int i = 0; i < 3; ++i) start(1, {"line", counted.string(), "1"});
  end_of(1);
  start(1, {"line", counted.string(), "1"});
  start(2, {"nothing"});
  end_of(2);
  EXPECT_EQ(lines_of(counted), 1U);
  EXPECT_EQ(ends_told(1), 1U);
}

}  // namespace executor_test
}  // namespace sonde::dispatch
