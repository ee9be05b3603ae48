#include "dispatch/simulation/simulation.h"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dispatch/forecast/calibration.h"
#include "dispatch/forecast/play.h"
#include "dispatch/simulation/measures.h"
#include "dispatch/simulation/virtual_host.h"

namespace sonde::dispatch::simulation {
namespace simulation_test {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kGiB = 1 << 30;

config::Config plain_config() { return {}; }

std::string problems_of(const std::string& yaml) {
  const auto read = read_workload(yaml, "w.yaml", plain_config());
  return read ? "" : read.error().message;
}

device::simulated::HostDescription host_of(size_t gpus, int64_t memory_bytes = 80 * kGiB) {
  device::simulated::HostDescription host;
  for (size_t i = 0; i < gpus; ++i) {
    device::simulated::GpuDescription gpu;
    gpu.name = "Simulated GPU";
    gpu.memory_bytes = memory_bytes;
    host.gpus.push_back(gpu);
  }
  return host;
}

VirtualRun run_of(int64_t task, std::vector<size_t> gpus, int64_t seconds, int64_t gib, double utilization) {
  return {.task = task,
          .attempt = 1,
          .gpus = std::move(gpus),
          .work_ns = seconds * kSecond,
          .memory_bytes = gib * kGiB,
          .utilization = utilization,
          .fails_at = {},
          .limit_ns = {}};
}

Task past_task(int64_t id, const std::string& gpu, int64_t seconds, int64_t gib, TaskState state) {
  Task task;
  task.id = id;
  task.spec.type = "train";
  task.spec.priority = "of another configuration";
  task.state = state;
  task.submitted_ns = 1'000 * kSecond + id * kSecond;
  Attempt attempt;
  attempt.gpu_name = gpu;
  attempt.started_ns = 5'000 * kSecond;
  attempt.ended_ns = attempt.started_ns + seconds * kSecond;
  attempt.cause = EndCause::exit;
  if (gib > 0) attempt.peak_bytes = gib * kGiB;
  task.attempts.push_back(attempt);
  return task;
}

/// Until something ends.
std::vector<EndReport> next_ends(VirtualHost& host) {
  while (const auto next = host.next_ns()) {
    auto ends = host.advance(*next);
    if (!ends.empty()) return ends;
  }
  return {};
}

TEST(Workload, IsReadWithItsGpusAndKinds) {
  const auto read = read_workload(R"(version: 1
duration: 2 h
gpus:
  - {name: Simulated A, count: 2, memory: 40 GiB}
speeds: {Simulated A: 0.5}
types:
  - type: train
    arrivals: {every: 10 min, regular: true}
    run_time: {median: 5 min, spread: 0.2}
    memory: [{share: 90 %, fixed: 4 GiB}, {share: 10 %, from: 6 GiB, to: 8 GiB}]
    gpus: 2
    priority: high
tasks:
  - {type: train, at: 90 s, gpus: 1}
)",
                                  "w.yaml", plain_config());
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->host->gpus.size(), 2U);
  EXPECT_EQ(read->host->gpus[0].memory_bytes, 40 * kGiB);
  EXPECT_EQ(read->types[0].memory.parts.size(), 2U);
  EXPECT_EQ(read->tasks[0].kind.priority, "high") << "as the kind of that type";
  const auto jobs = make_jobs(*read, plain_config(), 1);
  EXPECT_EQ(jobs.size(), 12U) << "one each ten minutes but the first and the last, and the listed one";
  EXPECT_EQ(jobs[0].at_ns, 90 * kSecond);
  EXPECT_EQ(jobs[0].spec.gpus, 1);
  EXPECT_EQ(jobs[1].spec.gpus, 2);
}

TEST(Workload, MistakesAreNamedByPlaceAndWhatIsAllowed) {
  const std::string kind = "types:\n  - type: a\n    run_time: 5 min\n    memory: 1 GiB\n";
  EXPECT_EQ(problems_of(kind), "");
  EXPECT_EQ(
      problems_of(kind + "    priority: hihg\n"),
      "w.yaml:5:15: 'hihg' is not a valid value for 'priority', did you mean 'high'?; allowed: high, low, normal");
  EXPECT_NE(problems_of(kind + "    utilization: 120 %\n")
                .find("w.yaml:5:18: '120 %' is not a valid value for 'utilization'"),
            std::string::npos);
  EXPECT_NE(problems_of(kind + "    run_tme: 5 min\n").find("w.yaml:5:5"), std::string::npos);
  EXPECT_NE(problems_of("types:\n  - type: a\n    memory: 1 GiB\n").find("'run_time' is missing"), std::string::npos);
  EXPECT_NE(problems_of("types: []\n").find("no tasks"), std::string::npos);
  EXPECT_NE(problems_of("gpus:\n  - {memory: 5}\n" + kind).find("w.yaml:2:14"), std::string::npos)
      << problems_of("gpus:\n  - {memory: 5}\n" + kind);
  EXPECT_NE(problems_of("types: [\n").find("not valid YAML"), std::string::npos);
  EXPECT_NE(problems_of(kind + "---\n" + kind).find("w.yaml:5"), std::string::npos);
}

TEST(Workload, TheSameSeedGivesTheSameTasks) {
  const auto read = read_workload(
      "types:\n  - {type: a, arrivals: {every: 1 min}, run_time: {median: 60 s, spread: 1}, memory: 1 GiB}\n", "w.yaml",
      plain_config());
  ASSERT_TRUE(read);
  const auto first = make_jobs(*read, plain_config(), 7);
  const auto second = make_jobs(*read, plain_config(), 7);
  const auto other = make_jobs(*read, plain_config(), 8);
  ASSERT_EQ(first.size(), second.size());
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].at_ns, second[i].at_ns);
    EXPECT_EQ(first[i].run_ns, second[i].run_ns);
  }
  EXPECT_NE(first[0].at_ns, other[0].at_ns);
  const double mean_s = static_cast<double>(first.back().at_ns) / static_cast<double>(first.size()) / kSecond;
  EXPECT_NEAR(mean_s, 60, 6) << "1440 arrivals: four standard errors";
}

TEST(Past, TasksComeAndRunAsTheyDid) {
  std::vector<Task> tasks;
  for (int64_t id = 4; id >= 1; --id)
    tasks.push_back(past_task(id, id % 2 == 0 ? "slow" : "fast", id % 2 == 0 ? 200 : 100, 4, TaskState::succeeded));
  tasks.push_back(past_task(5, "fast", 7, 0, TaskState::failed));
  const Past past = make_past(tasks, plain_config(), 1);
  ASSERT_EQ(past.jobs.size(), 5U);
  EXPECT_EQ(past.jobs[0].at_ns, 0);
  EXPECT_EQ(past.jobs[3].at_ns, 3 * kSecond);
  EXPECT_EQ(past.jobs[0].run_ns, 100 * kSecond);
  EXPECT_EQ(past.jobs[1].run_ns, 100 * kSecond) << "on a GPU of speed 1";
  EXPECT_DOUBLE_EQ(past.speeds.at("slow"), 0.5);
  EXPECT_DOUBLE_EQ(past.speeds.at("fast"), 1);
  EXPECT_EQ(past.jobs[4].memory_bytes, 4 * kGiB) << "of the others of its type";
  EXPECT_EQ(past.jobs[4].spec.priority, "normal");
  ASSERT_EQ(past.notes.size(), 1U);
  EXPECT_NE(past.notes[0].find("1 tasks did not succeed"), std::string::npos);
}

TEST(VirtualHost, TasksShareAGpuThatTheyWouldOverload) {
  VirtualHost host(host_of(1), {}, 0);
  host.start(run_of(1, {0}, 100, 1, 0.8), 0);
  host.start(run_of(2, {0}, 100, 1, 0.8), 0);
  const auto ends = next_ends(host);
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_NEAR(static_cast<double>(ends[0].ended_ns) / kSecond, 160, 0.01);
  EXPECT_EQ(ends[0].exit_status, 0);
}

TEST(VirtualHost, ATaskOnSeveralGpusGoesAtThePaceOfTheSlowest) {
  auto described = host_of(2);
  described.gpus[1].name = "Simulated slow";
  VirtualHost host(described, {{"Simulated slow", 0.5}}, 0);
  host.start(run_of(1, {0, 1}, 100, 1, 0.8), 0);
  EXPECT_NEAR(static_cast<double>(next_ends(host)[0].ended_ns) / kSecond, 200, 0.01);
}

TEST(VirtualHost, MemoryThatIsNotThereEndsTheTaskThatAsksForIt) {
  VirtualHost host(host_of(1), {}, 0);
  host.start(run_of(1, {0}, 1000, 60, 0.1), 0);
  host.start(run_of(2, {0}, 100, 52, 0.1), 0);
  const auto ends = next_ends(host);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].task, 2);
  EXPECT_EQ(ends[0].cause, EndCause::out_of_memory);
  EXPECT_NEAR(static_cast<double>(ends[0].ended_ns) / kSecond, 10, 0.01) << "a tenth of its work is done";
  EXPECT_EQ(host.held_bytes(0), 30 * kGiB) << "half of the other's, which has not come so far";
}

TEST(VirtualHost, TimeLimitsAndCancellationsEndTasks) {
  VirtualHost host(host_of(1), {}, 0);
  VirtualRun limited = run_of(1, {0}, 100, 1, 0.5);
  limited.limit_ns = 30 * kSecond;
  host.start(limited, 0);
  host.start(run_of(2, {0}, 100, 1, 0.5), 0);
  auto ends = next_ends(host);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].cause, EndCause::time_limit);
  EXPECT_EQ(ends[0].ended_ns, 30 * kSecond);
  host.cancel(2, 40 * kSecond);
  ends = next_ends(host);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].cause, EndCause::cancelled);
  EXPECT_EQ(host.running(), 0U);
  EXPECT_EQ(host.held_bytes(0), 0);
}

forecast::PlayState one_gpu(int64_t slots) {
  forecast::PlayState state;
  state.gpus.push_back({.slots = slots, .room_bytes = 10 * kGiB, .total_bytes = 10 * kGiB, .share_bytes = kGiB});
  return state;
}

TEST(Play, TasksStartInTheirOrderAsOthersEnd) {
  const std::vector<int64_t> minute = {60 * kSecond};
  forecast::PlayState state = one_gpu(0);
  state.now_ns = 20 * kSecond;
  state.running.push_back({.task = {.run_ns = minute}, .on = {0}, .reserved_bytes = kGiB, .started_ns = 0});
  for (int i = 0; i < 3; ++i)
    state.waiting.push_back({.need_bytes = kGiB, .run_ns = minute, .gives_up_ns = 10'000 * kSecond});
  std::mt19937_64 random(1);
  EXPECT_EQ(forecast::play(state, random), 60 * kSecond + 2 * 60 * kSecond);
}

TEST(Play, NothingStartsWhereNoGpuCouldTakeIt) {
  const std::vector<int64_t> minute = {60 * kSecond};
  forecast::PlayState state = one_gpu(1);
  state.waiting.push_back({.gpus = 2, .need_bytes = kGiB, .run_ns = minute});
  std::mt19937_64 random(1);
  EXPECT_EQ(forecast::play(state, random), std::nullopt);
}

TEST(Play, AGangIsNotPassedForEver) {
  const std::vector<int64_t> minute = {60 * kSecond};
  forecast::PlayState state = one_gpu(0);
  state.gpus.push_back(state.gpus[0]);
  state.running.push_back({.task = {.run_ns = minute}, .on = {0}, .reserved_bytes = kGiB, .started_ns = 0});
  state.running.push_back({.task = {.run_ns = minute}, .on = {1}, .reserved_bytes = kGiB, .started_ns = -30 * kSecond});
  state.waiting.push_back({.gpus = 2, .need_bytes = kGiB, .run_ns = minute, .gives_up_ns = 10'000 * kSecond});
  state.waiting.push_back({.need_bytes = kGiB, .run_ns = minute, .gives_up_ns = 10'000 * kSecond});
  std::mt19937_64 random(1);
  EXPECT_EQ(forecast::play(state, random), 120 * kSecond) << "behind the gang, which starts at 60 s";
}

/// Errors far beyond what was played, and skewed: the range holds 80 % of the starts all the same.
TEST(Calibration, CoversWhatItWasNotToldOf) {
  forecast::Calibration calibration;
  std::mt19937_64 random(3);
  std::exponential_distribution<double> late(1.0 / 40);
  int held = 0;
  constexpr int kStarts = 1500;
  for (int i = 0; i < kStarts; ++i) {
    const forecast::Played played{.said_ns = 0, .likely_ns = 100 * kSecond, .scale_ns = 5 * kSecond, .priority = 0};
    const double drift = i < kStarts / 2 ? 1 : 2.5;
    const auto start = static_cast<int64_t>((90 + drift * late(random)) * kSecond);
    const forecast::Offsets offsets = calibration.offsets(played);
    const double error = static_cast<double>(start - played.likely_ns) / static_cast<double>(played.scale_ns);
    held += error >= offsets.low && error <= offsets.high ? 1 : 0;
    calibration.learn(played, start, error<offsets.low, error> offsets.high);
  }
  EXPECT_GE(held, kStarts * 78 / 100);
  EXPECT_LE(held, kStarts * 90 / 100);
}

TEST(Simulation, ADayComesToTheSameTwice) {
  const auto read = read_workload(
      "duration: 3 h\ntypes:\n  - {type: a, arrivals: {every: 1 min}, run_time: {median: 5 min, spread: 0.5}, memory: "
      "{median: 8 GiB, spread: 0.2}, utilization: 30 %}\n",
      "w.yaml", plain_config());
  ASSERT_TRUE(read);
  const auto jobs = make_jobs(*read, plain_config(), 1);
  const simulation::Setup setup{.config = plain_config(),
                                .host = host_of(2),
                                .speeds = {},
                                .jobs = jobs,
                                .duration_ns = read->duration_ns,
                                .seed = 5};
  const auto first = simulate(setup);
  const auto second = simulate(setup);
  ASSERT_TRUE(first && second);
  ASSERT_EQ(first->tasks.size(), jobs.size());
  for (size_t i = 0; i < jobs.size(); ++i) {
    EXPECT_EQ(first->tasks[i].task.started_ns, second->tasks[i].task.started_ns);
    EXPECT_EQ(first->tasks[i].task.ended_ns, second->tasks[i].task.ended_ns);
  }
  const Measures measures = measures_of(*first);
  EXPECT_EQ(measures.succeeded + measures.timed_out + measures.failed, measures.submitted);
  EXPECT_EQ(measures.left, 0);
}

}  // namespace simulation_test
}  // namespace sonde::dispatch::simulation
