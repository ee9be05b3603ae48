#include <gtest/gtest.h>

#include "base/text/text_width.h"
#include "cli/top/model.h"
#include "cli/top/sparkline.h"

namespace sonde::top {
namespace top_test {

/// Knows process 7 of anna in a container, and that 8 is no more.
class MadeOwners : public monitor::ProcessOwners {
 public:
  monitor::ProcessOwner owner(int64_t pid) override {
    monitor::ProcessOwner made;
    made.alive = pid != 8;
    made.user = pid == 7 ? "anna" : "bert";
    made.command = fmt::format("python train{}.py", pid);
    if (pid == 7) made.container = "3f2a10b7c9de";
    return made;
  }
};

device::GpuState state(int64_t utilization, std::vector<device::GpuProcess> processes) {
  device::GpuState made;
  made.reading.name = "NVIDIA H100 80GB HBM3";
  made.reading.gpu_utilization_percent = utilization;
  made.reading.memory_total_bytes = 80LL << 30;
  made.reading.memory_used_bytes = 60LL << 30;
  made.reading.temperature_celsius = 68;
  made.reading.power_draw_milliwatts = 512'000;
  made.reading.power_enforced_limit_milliwatts = 700'000;
  made.reading.sm_clock_mhz = 1980;
  made.reading.running = std::move(processes);
  return made;
}

device::GpuProcess process(int64_t pid, std::optional<int64_t> gib) {
  device::GpuProcess made;
  made.pid = pid;
  if (gib) made.memory_used_bytes = *gib << 30;
  return made;
}

Model two_gpus() {
  Model model;
  model.info.driver_version = "580.95.05";
  MadeOwners owners;
  std::vector<device::GpuState> states = {state(98, {process(7, 60), process(8, 2)}), state(5, {process(9, {})})};
  add_round(model, states, owners);
  states[1].failure = device::GpuFailure{device::FailureKind::lost, "gone"};
  add_round(model, states, owners);
  return model;
}

std::string text_of(const std::vector<Line>& lines) {
  std::string text;
  for (const Line& line : lines) text += line.text.substr(0, line.text.find_last_not_of(' ') + 1) + "\n";
  return text;
}

std::vector<int64_t> pids(const Model& model, const Choice& choice) {
  std::vector<int64_t> found;
  for (const ProcessRow* row : shown_processes(model, choice)) found.push_back(row->process.process.pid);
  return found;
}

TEST(Top, ShowsGpusAndProcesses) {
  const std::string text = text_of(screen(two_gpus(), {}, 120, 12, false));
  EXPECT_TRUE(text.contains("gpu_0 H100 80GB HBM3          98 % ")) << text;
  EXPECT_TRUE(text.contains("██   60.0/80.0 GiB  68 C  512/700 W  1980 MHz")) << text;
  EXPECT_TRUE(text.contains("-          -         -  LOST")) << "a lost GPU has no values now: " << text;
  EXPECT_TRUE(text.contains("  0        7 anna       C   60.0 GiB 3f2a10b7c9de    python train7.py")) << text;
  EXPECT_TRUE(text.contains("(the process no longer exists: its memory is leaked)")) << text;
  EXPECT_FALSE(text.contains("train9")) << "a lost GPU tells no processes: " << text;
}

TEST(Top, FitsAnyTerminal) {
  const Model model = two_gpus();
  Choice help;
  help.help = true;
  for (const size_t width : {1, 10, 40, 79, 80, 109, 110, 160, 500}) {
    for (const size_t height : {0, 1, 2, 5, 8, 24, 100}) {
      for (const Choice& choice : {Choice{}, help}) {
        const auto lines = screen(model, choice, width, height, false);
        EXPECT_EQ(lines.size(), height) << width;
        for (const Line& line : lines) EXPECT_LE(text_width(line.text), width) << line.text;
      }
    }
  }
}

TEST(Top, SortsAndFilters) {
  Model model;
  MadeOwners owners;
  add_round(model, {state(1, {process(9, 1), process(8, {}), process(7, 3)}), state(2, {process(10, 2)})}, owners);
  Choice choice;
  EXPECT_EQ(pids(model, choice), (std::vector<int64_t>{7, 10, 9, 8})) << "by memory, unknown last";
  EXPECT_TRUE(press('s', model, choice));
  EXPECT_EQ(pids(model, choice), (std::vector<int64_t>{9, 8, 7, 10})) << "by GPU";
  EXPECT_TRUE(press('s', model, choice));
  EXPECT_EQ(pids(model, choice), (std::vector<int64_t>{7, 8, 9, 10})) << "by PID";
  EXPECT_TRUE(press('r', model, choice));
  EXPECT_EQ(pids(model, choice), (std::vector<int64_t>{10, 9, 8, 7}));
  EXPECT_TRUE(press('g', model, choice));
  EXPECT_EQ(pids(model, choice), (std::vector<int64_t>{9, 8, 7}));
  for (const char key : std::string("g/ann")) EXPECT_TRUE(press(key, model, choice));
  EXPECT_EQ(choice.filter, "ann");
  EXPECT_TRUE(pids(model, choice).empty()) << "anna's is on the other GPU";
  EXPECT_TRUE(press(kBackspace, model, choice));
  EXPECT_TRUE(press('q', model, choice)) << "a letter of the filter, not the end";
  EXPECT_EQ(choice.filter, "anq");
  EXPECT_TRUE(press(kEscape, model, choice));
  EXPECT_EQ(choice.filter, "");
  EXPECT_TRUE(press('g', model, choice));
  EXPECT_EQ(choice.gpu, std::nullopt);
  EXPECT_FALSE(press('q', model, choice));
}

TEST(Top, ScrollsWithinTheProcesses) {
  Model model;
  MadeOwners owners;
  std::vector<device::GpuProcess> many;
  for (int64_t pid = 100; pid < 130; ++pid) many.push_back(process(pid, pid));
  add_round(model, {state(1, many)}, owners);
  Choice choice;
  for (const int key : {kUp, kDown, kDown, kPageDown, kPageDown, kPageDown, kPageDown}) {
    EXPECT_TRUE(press(key, model, choice));
  }
  EXPECT_EQ(choice.scroll, 29U);
  EXPECT_TRUE(text_of(screen(model, choice, 100, 24, false)).contains(" 100 "));
  for (const char key : std::string("/12")) EXPECT_TRUE(press(key, model, choice));
  EXPECT_EQ(choice.scroll, 0U);
}

TEST(Top, PausesAndChangesItsPace) {
  const Model model;
  Choice choice;
  for (const char key : std::string(" +++++++++")) EXPECT_TRUE(press(key, model, choice));
  EXPECT_TRUE(choice.paused);
  EXPECT_EQ(choice.delay_s, 60);
  for (const char key : std::string("------------")) EXPECT_TRUE(press(key, model, choice));
  EXPECT_EQ(choice.delay_s, 0.1);
}

TEST(Top, DrawsHistory) {
  const std::deque<std::optional<double>> values = {0.0, 50.0, std::nullopt, 100.0, 250.0};
  EXPECT_EQ(sparkline(values, 5, false), "▁▅ ██");
  EXPECT_EQ(sparkline(values, 3, true), " ##");
  EXPECT_EQ(sparkline(values, 7, true), "  _= ##");
  EXPECT_EQ(sparkline({}, 2, false), "  ");
}

TEST(Top, KeepsOnlyWhatATerminalShows) {
  Model model;
  MadeOwners owners;
  for (int i = 0; i < 1000; ++i) add_round(model, {state(i % 100, {})}, owners);
  EXPECT_EQ(model.gpus[0].utilization_percent.size(), kKept);
  EXPECT_EQ(model.gpus[0].utilization_percent.back(), 99);
}

}  // namespace top_test
}  // namespace sonde::top
