#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include <gtest/gtest.h>

#include "dispatch/dispatch_tasks.h"
#include "dispatch/profiles/bounded_run.h"
#include "dispatch/profiles/choice.h"
#include "dispatch/profiles/gpu_comparison.h"
#include "dispatch/profiles/profile_file.h"
#include "dispatch/profiles/rank_test.h"
#include "dispatch/profiles/slow_work.h"

namespace sonde::dispatch::profiles {
namespace task_profiles_test {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kMinute = 60 * kSecond;
constexpr int64_t kHour = 60 * kMinute;

config::Config config_with(const std::string& profile) {
  config::Config config;
  config.sonde.tasks.types["train"].profile = profile;
  return config;
}

Task starting(int64_t id, const std::string& gpu = "GPU-0") {
  Task task = small_task(id, TaskState::running);
  task.spec.type = "train";
  task.attempts = {attempt_of(1, id * kSecond)};
  task.attempts.back().gpus = {gpu};
  return task;
}

/// Which of so many tasks are recorded, "3 6 9".
std::string recorded(Choice& choice, const config::Config& config, int64_t first, int64_t last) {
  std::string all;
  for (int64_t id = first; id <= last; ++id) {
    if (choice.why(starting(id), config, id * kSecond)) all += fmt::format("{}{}", all.empty() ? "" : " ", id);
  }
  return all;
}

Choice new_choice(int64_t started_before = 0) {
  return Choice([started_before](const std::string&, const std::string&) { return started_before; });
}

TEST(RecordingChoice, TakesEachNthStartOfAType) {
  Choice choice = new_choice();
  EXPECT_EQ(recorded(choice, config_with("every 3"), 1, 10), "3 6 9");
  EXPECT_EQ(recorded(choice, config_with("always"), 1, 3), "1 2 3");
  EXPECT_EQ(recorded(choice, config_with("never"), 1, 10), "");
}

TEST(RecordingChoice, GoesOnCountingAfterARestart) {
  Choice choice = new_choice(1);  // the 10th, which came after the last recorded one
  EXPECT_EQ(recorded(choice, config_with("every 3"), 11, 16), "12 15");
}

TEST(RecordingChoice, SubmissionsDecideForThemselves) {
  Choice choice = new_choice();
  const config::Config config = config_with("always");
  Task task = starting(1);
  task.spec.profile = false;
  EXPECT_FALSE(choice.why(task, config, 0));
  task.spec.profile = true;
  EXPECT_EQ(choice.why(task, config_with("never"), 0), "asked");
  task.spec.inference.emplace();
  EXPECT_FALSE(choice.why(task, config, 0)) << "requests to workers are not recorded";
}

TEST(RecordingChoice, RunsATaskOnceUnderTheProfiler) {
  Choice choice = new_choice();
  Task task = starting(1);
  task.spec.profile = true;
  task.attempts.front().recorded = true;
  task.attempts.push_back(attempt_of(2, 5 * kSecond));
  EXPECT_FALSE(choice.why(task, config_with("always"), 0));
}

TEST(RecordingChoice, MakesNoMoreByItselfThanAnHourMayHave) {
  Choice choice = new_choice();
  config::Config config = config_with("never");
  config.sonde.tasks.profiles.max_per_hour = 2;
  const auto wished = [&](int64_t now_ns) {
    choice.wish({.type = "train", .gpu_uuid = {}, .why = std::string(kSlowTask), .moment_ns = now_ns});
    return choice.why(starting(1), config, now_ns);
  };
  EXPECT_EQ(wished(0), kSlowTask);
  EXPECT_FALSE(choice.why(starting(2), config, 1)) << "a wish is for one";
  EXPECT_TRUE(wished(kMinute));
  EXPECT_FALSE(wished(2 * kMinute));
  EXPECT_TRUE(wished(kHour)) << "the first is an hour ago";
  EXPECT_FALSE(wished(kHour + 1));
  Task asked = starting(3);
  asked.spec.profile = true;
  EXPECT_TRUE(choice.why(asked, config, 2 * kMinute)) << "asked ones are not counted";
}

TEST(RecordingChoice, CountsThoseOfBeforeTheRestart) {
  Choice choice = new_choice();
  config::Config config = config_with("never");
  config.sonde.tasks.profiles.max_per_hour = 1;
  ProfileRecord record;
  record.why = kSlowGpu;
  record.moment_ns = kMinute;
  choice.restore(std::vector{record});
  EXPECT_FALSE(choice.has_one(config, 2 * kMinute));
  EXPECT_TRUE(choice.has_one(config, kMinute + kHour));
}

TEST(RecordingChoice, AWishForAGpuWaitsForATaskThere) {
  Choice choice = new_choice();
  const config::Config config = config_with("never");
  choice.wish({.type = "train", .gpu_uuid = "GPU-1", .why = std::string(kSlowGpu), .moment_ns = 0});
  EXPECT_FALSE(choice.why(starting(1, "GPU-0"), config, 1));
  EXPECT_EQ(choice.why(starting(2, "GPU-1"), config, 2), kSlowGpu);
}

TEST(RecordingChoice, AProfilerThatFailsTakesNoFurtherTasks) {
  Choice choice = new_choice();
  choice.failed("train", 0);
  EXPECT_EQ(recorded(choice, config_with("always"), 1, 5), "");
  EXPECT_TRUE(choice.why(starting(1), config_with("always"), kHour));
}

/// Wins of each value against each other one, counted: by definition, without ranks.
double deviations_by_pairs(const std::vector<int64_t>& values, const std::vector<int64_t>& others) {
  double wins = 0;
  for (const int64_t value : values) {
    for (const int64_t other : others) wins += value > other ? 1 : value == other ? 0.5 : 0;
  }
  std::map<int64_t, double> equal;
  for (const int64_t value : values) ++equal[value];
  for (const int64_t value : others) ++equal[value];
  const auto n = static_cast<double>(values.size());
  const auto m = static_cast<double>(others.size());
  double ties = 0;
  for (const auto& [value, count] : equal) ties += count * (count - 1) * (count + 1);
  return (wins - n * m / 2) / std::sqrt(n * m / 12 * ((n + m + 1) - ties / ((n + m) * (n + m - 1))));
}

TEST(RankTest, CountsPairsThatAreWon) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<int64_t> values(10 + random() % 20);
    std::vector<int64_t> others(10 + random() % 90);
    for (int64_t& value : values) value = static_cast<int64_t>(random() % 30);
    for (int64_t& value : others) value = static_cast<int64_t>(random() % 25);
    EXPECT_NEAR(rank_deviations(values, others), deviations_by_pairs(values, others), 1e-9);
  }
  EXPECT_EQ(rank_deviations(std::vector<int64_t>(5, 1), std::vector<int64_t>(5, 1)), 0);
}

/// Tasks that run on GPUs in turn, with run times that differ by half; one GPU takes `factor` times as long.
/// How many of the ends found a GPU slow that is (first) and that is not (second).
std::pair<int64_t, int64_t> alarms(uint64_t seed, double factor, int64_t tasks) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> run_s(3, 0.4);
  GpuComparison comparison;
  std::pair<int64_t, int64_t> found;
  for (int64_t i = 0; i < tasks; ++i) {
    const int64_t gpu = i % 4;
    Measured measured;
    measured.type = "train";
    measured.gpu_name = "H100";
    measured.gpu_uuid = fmt::format("GPU-{}", gpu);
    measured.run_ns = static_cast<int64_t>(run_s(random) * (gpu == 2 ? factor : 1) * 1e9);
    measured.ended_ns = i * 10 * kSecond;
    comparison.learn(measured);
    if (!comparison.judge("train", measured.gpu_uuid, false)) continue;
    ++(gpu == 2 && factor > 1 ? found.first : found.second);
  }
  return found;
}

TEST(GpuComparison, CallsNoEqualGpuSlow) {
  for (uint64_t seed = 1; seed <= 100; ++seed) EXPECT_EQ(alarms(seed, 1, 1000).second, 0) << seed;
}

TEST(GpuComparison, FindsTheSlowOneAndNoOther) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    const auto [right, wrong] = alarms(seed, 1.7, 400);
    EXPECT_GT(right, 0) << seed;
    EXPECT_EQ(wrong, 0) << seed;
  }
}

TEST(GpuComparison, KnowsNothingOfOtherKindsAndFewTasks) {
  GpuComparison comparison;
  Measured measured;
  measured.type = "train";
  for (int64_t i = 0; i < 40; ++i) {
    measured.gpu_name = i % 2 == 0 ? "L4" : "H100";
    measured.gpu_uuid = i % 2 == 0 ? "GPU-0" : "GPU-1";
    measured.run_ns = i % 2 == 0 ? 100 * kSecond : kSecond;
    measured.ended_ns = i * kSecond;
    comparison.learn(measured);
  }
  EXPECT_FALSE(comparison.judge("train", "GPU-0", false)) << "an L4 is no equal of an H100";
  measured.gpu_name = "L4";
  measured.gpu_uuid = "GPU-2";
  measured.run_ns = kSecond;
  for (int64_t i = 0; i < 9; ++i) comparison.learn(measured);
  EXPECT_FALSE(comparison.judge("train", "GPU-0", false)) << "nine are too few";
  for (int64_t i = 0; i < 20; ++i) comparison.learn(measured);
  const auto slow = comparison.judge("train", "GPU-0", false);
  ASSERT_TRUE(slow);
  EXPECT_DOUBLE_EQ(slow->ratio, 100);
}

const SlowWork::Place kPlace{.type = "train", .gpu_uuid = "GPU-1", .gpu_name = "H100"};
const std::map<std::string, size_t> kIndices = {{"GPU-0", 0}, {"GPU-1", 1}};

std::string argument(const monitor::Observation& seen, std::string_view name) {
  const auto found = std::ranges::find(seen.arguments, name, &monitor::Argument::name);
  return found == seen.arguments.end() ? "" : found->value;
}

TEST(SlowWork, IsATroubleUntilATaskIsNormalAgain) {
  SlowWork work;
  EXPECT_TRUE(work.task_is_slow(kPlace, 12, 100 * kSecond, 10 * kSecond, 0));
  EXPECT_FALSE(work.task_is_slow(kPlace, 13, 100 * kSecond, 10 * kSecond, kSecond)) << "it is known";
  auto now = work.now(kIndices, 2 * kSecond);
  ASSERT_EQ(now.size(), 1);
  EXPECT_EQ(now[0].detector, "task_slow");
  EXPECT_EQ(now[0].seen.gpu, 1);
  EXPECT_EQ(now[0].seen.subject, "train");
  EXPECT_EQ(argument(now[0].seen, "task"), "13");
  work.task_was_normal("train", "L4");
  EXPECT_EQ(work.now(kIndices, 3 * kSecond).size(), 1) << "another kind of GPU";
  work.task_was_normal("train", "H100");
  EXPECT_TRUE(work.now(kIndices, 4 * kSecond).empty());
}

TEST(SlowWork, WaitsForWhatIsRecordedAndTellsIt) {
  SlowWork work;
  work.task_is_slow(kPlace, 12, 100 * kSecond, 10 * kSecond, 0);
  work.recording(kSlowTask, kPlace, "The next task of the type will be recorded.", true);
  work.task_was_normal("train", "H100");
  auto now = work.now(kIndices, kMinute);
  ASSERT_EQ(now.size(), 1);
  EXPECT_EQ(now[0].seen.text, "task_slow");
  const std::vector<std::string> gpus = {"GPU-0"};
  work.recorded(kSlowTask, "train", gpus, Finding{.task = 14, .says = "It idles.", .advice = "Feed it."}, kMinute);
  now = work.now(kIndices, kMinute + 1);
  ASSERT_EQ(now.size(), 1);
  EXPECT_EQ(now[0].seen.text, "task_slow_found");
  EXPECT_EQ(argument(now[0].seen, "finding"), "It idles.");
  EXPECT_EQ(argument(now[0].seen, "recorded"), "14");
  EXPECT_TRUE(work.now(kIndices, kHour / 2).empty());
}

TEST(SlowWork, EndsWhereATypeDoesNotComeAgain) {
  SlowWork work;
  work.task_is_slow(kPlace, 12, 100 * kSecond, 10 * kSecond, 0);
  work.gpu_is_slow(kPlace, 1.5, 15 * kSecond, 10 * kSecond, 0);
  EXPECT_EQ(work.now(kIndices, kHour).size(), 2);
  EXPECT_EQ(work.now(kIndices, 2 * kHour).size(), 1);
  EXPECT_TRUE(work.now(kIndices, 25 * kHour).empty());
}

TEST(SlowWork, AGpuIsWellAgain) {
  SlowWork work;
  EXPECT_TRUE(work.gpu_is_slow(kPlace, 1.5, 15 * kSecond, 10 * kSecond, 0));
  EXPECT_TRUE(work.is_slow_gpu("train", "GPU-1"));
  work.gpu_is_well(kPlace);
  EXPECT_FALSE(work.is_slow_gpu("train", "GPU-1"));
}

class ProfileFolder : public ::testing::Test {
 protected:
  ProfileFolder() { std::filesystem::create_directories(folder_); }
  ~ProfileFolder() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text = "x", int age_s = 0) const {
    std::ofstream(folder_ + "/" + name) << text;
    std::filesystem::last_write_time(folder_ + "/" + name,
                                     std::filesystem::file_time_type::clock::now() - std::chrono::seconds(age_s));
  }
  std::string folder_ = (std::filesystem::path(::testing::TempDir()) / fmt::format("profiles_{}", getpid())).string();
};

TEST_F(ProfileFolder, HasTheNewestProfileAndNothingElse) {
  EXPECT_FALSE(find_profile(folder_));
  write("profile");
  write("profile.sqlite-wal");
  write("profiles.json");
  std::filesystem::create_symlink("/etc/passwd", folder_ + "/profile.json");
  EXPECT_FALSE(find_profile(folder_));
  write("profile.nsys-rep", "long", 60);
  EXPECT_EQ(find_profile(folder_)->path, folder_ + "/profile.nsys-rep");
  EXPECT_EQ(find_profile(folder_)->bytes, 4);
  write("profile.sqlite");
  EXPECT_EQ(find_profile(folder_)->path, folder_ + "/profile.sqlite");
}

TEST_F(ProfileFolder, ProgramsEndInTheirTime) {
  const std::atomic<bool> stop = false;
  const auto run = [&](std::vector<std::string> words, std::chrono::milliseconds limit) {
    return run_bounded({.words = std::move(words),
                        .output_file = folder_ + "/out",
                        .error_file = folder_ + "/err",
                        .time_limit = limit},
                       stop);
  };
  EXPECT_EQ(run({"sh", "-c", "echo one >&2; echo two >&2; exit 3"}, std::chrono::minutes(5))->status, 3);
  EXPECT_EQ(last_line(folder_ + "/err"), "two");
  EXPECT_TRUE(run({"sleep", "1000"}, std::chrono::milliseconds(1))->timed_out);
  EXPECT_FALSE(run({"/no/such/program"}, std::chrono::minutes(5)));
  const std::atomic<bool> stopped = true;
  EXPECT_TRUE(run_bounded({.words = {"sleep", "1000"},
                           .output_file = folder_ + "/out",
                           .error_file = folder_ + "/err",
                           .time_limit = std::chrono::minutes(5)},
                          stopped)
                  ->stopped);
}

TEST(Findings, AreTheArrayOfADocument) {
  const auto findings = findings_of(R"({"findings": [{"id": "a", "says": "It idles.", "do": "Feed it.",
      "ceiling_percent": 41.6, "evidence": []}]})");
  ASSERT_TRUE(findings);
  const Finding greatest = greatest_finding(7, *findings);
  EXPECT_EQ(greatest.says, "It idles. (fixing it saves at most 42 % of the run)");
  EXPECT_EQ(greatest.advice, "Feed it.");
  EXPECT_FALSE(findings_of("[]"));
  EXPECT_FALSE(findings_of("no JSON"));
  EXPECT_EQ(greatest_finding(7, "[]").says, "no finding explains it.");
}

TEST(Findings, OfAnySizeAreKeptSmall) {
  std::string document = R"({"findings": [)";
  for (int i = 0; i < 1000; ++i) {
    document += fmt::format(R"({}{{"id": "a", "says": "It idles.", "evidence": ["{}"]}})", i == 0 ? "" : ",",
                            std::string(1000, 'x'));
  }
  const auto findings = findings_of(document + "]}");
  ASSERT_TRUE(findings);
  EXPECT_LT(findings->size(), 10'000);
}

TEST(FilledWords, NameOutputPidAndSeconds) {
  EXPECT_EQ(filled_words({"rec", "-p", "{pid}", "--for={seconds}", "{output}.{output}"},
                         {.output = "/a/{output}", .pid = "12", .seconds = "30"}),
            (std::vector<std::string>{"rec", "-p", "12", "--for=30", "/a/{output}./a/{output}"}));
}

}  // namespace task_profiles_test
}  // namespace sonde::dispatch::profiles
