#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "cli/gate_runs/locked_clocks.h"
#include "cli/gate_runs/machine.h"
#include "cli/gate_runs/other_load.h"
#include "cli/gate_runs/run_plan.h"

namespace sonde {
namespace gate_run_test {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

std::string sides(const std::vector<Side>& order) {
  std::string text;
  for (const Side side : order) text += side == Side::base ? 'B' : 'N';
  return text;
}

TEST(RunOrder, is_interleaved_and_goes_on_where_it_stopped) {
  EXPECT_EQ(sides(run_order(0, 4, true)), "BNNBBNNB");
  EXPECT_EQ(sides(run_order(0, 3, true)) + sides(run_order(3, 4, true)), "BNNBBNNB");
  EXPECT_EQ(sides(run_order(2, 5, false)), "NNN");
  EXPECT_EQ(sides(run_order(5, 5, false)), "");
}

TEST(RunOrder, looks_double_up_to_the_most) {
  EXPECT_EQ(looks_of(10, 30), (std::vector<int>{10, 20, 30}));
  EXPECT_EQ(looks_of(5, 30), (std::vector<int>{5, 10, 20, 30}));
  EXPECT_EQ(looks_of(8, 8), std::vector<int>{8});
  EXPECT_EQ(looks_of(1, 3), (std::vector<int>{1, 2, 3}));
}

TEST(ProfilePlace, is_filled_wherever_it_stands) {
  const Words words{"nsys", "-o", "{profile}", "--x={profile}.{profile}"};
  EXPECT_TRUE(has_profile_place(words));
  EXPECT_FALSE(has_profile_place({"a", "{profil}"}));
  EXPECT_EQ(with_profile(words, "/p/{profile}"),
            (Words{"nsys", "-o", "/p/{profile}", "--x=/p/{profile}./p/{profile}"}));
}

class ProfileLeft : public ::testing::Test {
 protected:
  fs::path folder_ = fs::path(testing::TempDir()) / ("profile_left." + std::to_string(getpid()));
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  void touch(const std::string& name) const { std::ofstream(folder_ / name) << "x"; }
  [[nodiscard]] std::string left() const {
    const auto path = profile_left_at((folder_ / "run").string());
    return path ? fs::relative(*path, folder_).string() : path.error().message;
  }
};

TEST_F(ProfileLeft, is_the_file_of_that_name_with_an_ending_that_is_read) {
  touch("run.sqlite.planted.json");
  touch("run.nsys-rep");
  EXPECT_EQ(left(), "run.nsys-rep");
  touch("run.sqlite");
  EXPECT_EQ(left(), "run.sqlite");
}

TEST_F(ProfileLeft, may_have_another_name_or_be_a_folder) {
  touch("run_rank0.json.gz");
  touch("other.sqlite");
  EXPECT_EQ(left(), "run_rank0.json.gz");
  touch("run_rank1.json.gz");
  EXPECT_EQ(left(), ".");
  fs::create_directory(folder_ / "run");
  EXPECT_EQ(left(), "run");
}

TEST_F(ProfileLeft, nothing_is_an_error) {
  touch("other.sqlite");
  EXPECT_NE(left().find("the run left no profile: no file begins with "), std::string::npos);
}

TEST_F(ProfileLeft, a_pattern_names_what_the_run_wrote) {
  touch("a.json");
  const auto before = files_of("*.json", folder_.string());
  ASSERT_EQ(before.size(), 1);
  EXPECT_EQ(file_written(before, before, "*.json").error().message, "the run wrote no file that matches '*.json'");
  touch("b.json");
  const auto after = files_of((folder_ / "*.json").string(), "ignored");
  EXPECT_EQ(file_written(before, after, "*.json"), (folder_ / "b.json").string());
  EXPECT_FALSE(file_written({}, after, "*.json")) << "two files";
  const std::vector<FoundFile> again{{before[0].path, before[0].written + 1}};
  EXPECT_EQ(file_written(before, again, "*.json"), before[0].path);
}

constexpr std::string_view kTwoGpus =
    "0, NVIDIA H100 80GB HBM3, GPU-aaaa, 590.48, 41, 1980, 0x0000000000000004, 100, 20, 3\n"
    "1, NVIDIA H100 80GB HBM3, GPU-bbbb, 590.48, [N/A], 1755, 0x0000000000000000, [N/A], [N/A], [N/A]\n";

TEST(Machine, gpus_as_nvidia_smi_prints_them) {
  const auto gpus = parse_gpu_states(kTwoGpus);
  ASSERT_EQ(gpus.size(), 2);
  EXPECT_EQ(gpus[0].name, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(gpus[0].celsius, 41);
  EXPECT_EQ(gpus[0].reasons, 4);
  EXPECT_EQ(gpus[0].slowed_us, 123);
  EXPECT_EQ(slowest_sm_clock_mhz({gpus, {}, {}}), 1755);
  EXPECT_FALSE(slowest_sm_clock_mhz({}));
  EXPECT_FALSE(gpus[1].celsius);
  EXPECT_FALSE(gpus[1].slowed_us);
  EXPECT_TRUE(
      parse_gpu_states("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.").empty());
}

TEST(Machine, only_visible_gpus_count) {
  const auto gpus = parse_gpu_states(kTwoGpus);
  EXPECT_EQ(visible_gpus(gpus, nullptr).size(), 2);
  ASSERT_EQ(visible_gpus(gpus, "1").size(), 1);
  EXPECT_EQ(visible_gpus(gpus, "1")[0].uuid, "GPU-bbbb");
  EXPECT_EQ(visible_gpus(gpus, "GPU-aa")[0].uuid, "GPU-aaaa");
  EXPECT_EQ(visible_gpus(gpus, "MIG-1").size(), 2);
}

MachineState state_of(int64_t reasons, std::optional<int64_t> slowed_us) {
  return {.gpus = {{.index = "0",
                    .name = {},
                    .uuid = "u",
                    .driver = {},
                    .celsius = {},
                    .sm_clock_mhz = {},
                    .reasons = reasons,
                    .slowed_us = slowed_us}},
          .processes = {},
          .session = {}};
}

TEST(Machine, a_slowdown_during_a_run_is_told_and_a_power_cap_is_none) {
  EXPECT_EQ(slowdown_between(state_of(0, {}), state_of(0x40, {})), "GPU 0: HW thermal slowdown");
  EXPECT_EQ(slowdown_between(state_of(0x88, {}), state_of(0, {})), "GPU 0: HW slowdown, HW power brake slowdown");
  EXPECT_EQ(slowdown_between(state_of(0x4, {}), state_of(0x5, {})), "");
  EXPECT_EQ(slowdown_between({}, {}), "");
}

TEST(Machine, counters_tell_what_no_mask_saw_and_that_it_ended_before) {
  EXPECT_EQ(slowdown_between(state_of(0, 10), state_of(0, 2510)), "GPU 0: thermal slowdown or power brake for 2.5 ms");
  EXPECT_EQ(slowdown_between(state_of(0x40, 10), state_of(0, 10)), "");
  EXPECT_EQ(slowdown_between(state_of(0x08, 10), state_of(0x08, 10)), "GPU 0: HW slowdown");
}

TEST(Machine, conditions_of_runs_without_a_profile) {
  const gate::Conditions conditions =
      machine_conditions({parse_gpu_states(kTwoGpus), {}, {}}, "processor\t: 0\nmodel name\t: Xeon 8480\n", "node1");
  EXPECT_EQ(conditions, (gate::Conditions{{"gpu", "NVIDIA H100 80GB HBM3"},
                                          {"gpu_uuid", "GPU-aaaa, GPU-bbbb"},
                                          {"driver", "590.48"},
                                          {"cpu", "Xeon 8480"},
                                          {"host", "node1"}}));
  EXPECT_EQ(machine_conditions({}, "", ""), gate::Conditions{});
}

TEST(Machine, processes_that_came_or_went_are_told_and_those_that_stay_are_not) {
  const MachineState before{.gpus = {}, .processes = {7, 9}, .session = {}};
  const MachineState after{.gpus = {}, .processes = {9, 11}, .session = {}};
  EXPECT_EQ(processes_changed(before, before), "");
  EXPECT_EQ(processes_changed(before, after),
            "process 11 began to compute on a GPU, process 7 ended its work on a GPU");
}

TEST(WarmUp, ends_once_the_newest_run_is_no_extreme) {
  const auto warm = [](std::vector<int64_t> wall_ns) { return is_warm(wall_ns); };
  EXPECT_FALSE(warm({}));
  EXPECT_FALSE(warm({9, 5}));
  EXPECT_FALSE(warm({9, 7, 5, 4})) << "still falling";
  EXPECT_FALSE(warm({4, 5, 6})) << "still rising";
  EXPECT_TRUE(warm({9, 5, 6}));
  EXPECT_TRUE(warm({5, 5, 5}));
  EXPECT_TRUE(warm({10, 9, 8, 7, 6, 5, 4, 3, 2, 1})) << "ten are enough";
}

constexpr std::string_view kStat =
    "cpu  400 0 300 9000 50 10 20 30 5 0\n"
    "cpu0 100 10 100 4000 25 5 10 7 5 0\n"
    "cpu1 300 0 200 5000 25 5 10 30 0 0\n"
    "cpu10 1 1 1 1 1 1 1 1 1 1\nintr 5\n";

TEST(OtherLoad, busy_time_is_of_the_chosen_processors_without_idling_and_guests) {
  const int64_t tick_ns = 1'000'000'000 / sysconf(_SC_CLK_TCK);
  EXPECT_EQ(busy_ns_of(kStat, {0}), (100 + 10 + 100 + 5 + 10 + 7) * tick_ns);
  EXPECT_EQ(busy_ns_of(kStat, {0, 1}), (232 + 545) * tick_ns);
  EXPECT_EQ(busy_ns_of(kStat, {1, 10}), (545 + 6) * tick_ns);
  EXPECT_FALSE(busy_ns_of(kStat, {2}));
  EXPECT_FALSE(busy_ns_of("", {0}));
}

TEST(OtherLoad, what_the_run_used_itself_is_not_others) {
  constexpr int64_t kSecond = 1'000'000'000;
  const ProcessorUse before{.busy_ns = 5 * kSecond, .own_ns = kSecond};
  const ProcessorUse after{.busy_ns = 8 * kSecond, .own_ns = 2 * kSecond};
  EXPECT_DOUBLE_EQ(share_of_others(before, after, 2 * kSecond, 4), 0.25);
  EXPECT_DOUBLE_EQ(share_of_others(before, before, 2 * kSecond, 4), 0);
  EXPECT_DOUBLE_EQ(share_of_others({}, {.busy_ns = 1, .own_ns = 5}, kSecond, 4), 0) << "ticks are coarse";
  EXPECT_TRUE(is_disturbing(0.25, 2 * kSecond, 4));
  EXPECT_FALSE(is_disturbing(0.09, 2 * kSecond, 4));
  EXPECT_FALSE(is_disturbing(0.25, kSecond / 25, 4)) << "four ticks of others";
}

TEST(ClockChoice, is_the_base_clock_or_a_number) {
  EXPECT_FALSE(parse_clock_choice("base")->mhz);
  EXPECT_EQ(parse_clock_choice("1200")->mhz, 1200);
  EXPECT_EQ(parse_clock_choice("1200MHz")->mhz, 1200);
  EXPECT_FALSE(parse_clock_choice("fast"));
  EXPECT_FALSE(parse_clock_choice("0"));
  EXPECT_FALSE(parse_clock_choice("-5"));
  EXPECT_EQ(clock_text({.mhz = 1200}), "locked at 1200 MHz");
}

/// nvidia-smi of an older driver, and of a machine without one.
class FakeSmi final : public SubprocessRunner {
 public:
  std::string known;  ///< what a query must hold to be understood; "none" where there is no nvidia-smi
  Words asked;
  Result<SubprocessEnd> run(const Subprocess& program) override {
    asked.push_back(program.words[1]);
    if (known == "none") return fail("cannot run nvidia-smi");
    if (!program.words[1].contains(known) && !program.words[1].contains("compute-apps"))
      return SubprocessEnd{.status = 2};
    std::ofstream(program.output_file) << (program.words[1].contains("compute-apps") ? "77\n"
                                                                                     : "0, A, u, 1, 30, 1410, 0x08\n");
    return SubprocessEnd{};
  }
  bool interrupted() override { return false; }
};

TEST(Machine, older_drivers_are_asked_in_their_words_and_only_once) {
  FakeSmi smi;
  smi.known = "clocks_throttle_reasons";
  MachineProbe probe(smi, testing::TempDir() + "smi." + std::to_string(getpid()));
  const MachineState state = probe.state();
  ASSERT_EQ(state.gpus.size(), 1);
  EXPECT_EQ(state.gpus[0].reasons, 8);
  EXPECT_EQ(state.processes, std::vector<int64_t>{77});
  smi.asked.clear();
  EXPECT_EQ(probe.state().gpus.size(), 1);
  EXPECT_EQ(smi.asked.size(), 2);
}

TEST(Machine, without_nvidia_smi_there_are_no_gpus_and_nothing_is_asked_again) {
  FakeSmi smi;
  smi.known = "none";
  MachineProbe probe(smi, testing::TempDir() + "smi." + std::to_string(getpid()));
  EXPECT_TRUE(probe.state().gpus.empty());
  smi.asked.clear();
  EXPECT_TRUE(probe.state().gpus.empty());
  EXPECT_TRUE(smi.asked.empty());
}

}  // namespace gate_run_test
}  // namespace sonde
