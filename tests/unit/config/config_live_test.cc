#include "config/live.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include <unistd.h>

#include <gtest/gtest.h>

namespace sonde::config {
namespace config_live_test {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

constexpr const char* kStrategyKey = "gpu.multi_gpu.default_strategy";
constexpr const char* kTasksKey = "gpu.multi_gpu.max_concurrent_tasks_per_gpu";

class ConfigLive : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("sonde_live_" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    file_ = (folder_ / "config.yaml").string();
    persisted_ = (folder_ / "state/changes.json").string();
    write("gpu: {multi_gpu: {max_concurrent_tasks_per_gpu: 6}}\n");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& yaml) const { std::ofstream(file_) << yaml; }
  [[nodiscard]] std::string kept() const {
    std::ifstream file(persisted_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  [[nodiscard]] std::unique_ptr<LiveConfig> open() const {
    auto live = LiveConfig::open(file_, persisted_);
    EXPECT_TRUE(live) << live.error().message;
    return live ? *std::move(live) : nullptr;
  }

  static KeyState state(const LiveConfig& live, std::string_view key) {
    for (KeyState& state : live.keys()) {
      if (state.key == key) return std::move(state);
    }
    ADD_FAILURE() << "there is no " << key;
    return {};
  }

  static void set(LiveConfig& live, std::string_view key, const std::string& json, bool persist = false) {
    const Status done = live.set(key, json, persist);
    EXPECT_TRUE(done) << done.error().message;
  }
  static std::string refusal(LiveConfig& live, std::string_view key, const std::string& json, bool persist = false) {
    const Status done = live.set(key, json, persist);
    return done ? "it was taken" : done.error().message;
  }
  static Reload reloaded(LiveConfig& live) {
    const auto done = live.reload();
    EXPECT_TRUE(done) << done.error().message;
    return done.value_or(Reload());
  }

  fs::path folder_;
  std::string file_;
  std::string persisted_;
};

TEST_F(ConfigLive, values_know_where_they_come_from) {
  const auto live = open();
  EXPECT_EQ(live->current()->gpu.multi_gpu.max_concurrent_tasks_per_gpu, 6);
  EXPECT_EQ(live->file(), file_);
  const KeyState tasks = state(*live, kTasksKey);
  EXPECT_EQ(tasks.value, "6");
  EXPECT_EQ(origin_name(tasks.origin), "file");
  EXPECT_EQ(tasks.line, 1);
  const KeyState strategy = state(*live, kStrategyKey);
  EXPECT_EQ(strategy.value, "\"least_loaded\"");
  EXPECT_EQ(origin_name(strategy.origin), "default");
  EXPECT_EQ(strategy.line, 0);
  EXPECT_FALSE(strategy.needs_restart);
  EXPECT_TRUE(state(*live, "sonde.server.port").needs_restart);
}

TEST_F(ConfigLive, without_a_file_all_is_default) {
  const auto live = LiveConfig::open("", "");
  ASSERT_TRUE(live);
  EXPECT_EQ((*live)->current()->gpu.multi_gpu.max_concurrent_tasks_per_gpu, 8);
  EXPECT_TRUE((*live)->reload());
  EXPECT_EQ(refusal(**live, kTasksKey, "3", true),
            "gpu.multi_gpu.max_concurrent_tasks_per_gpu: no file is set for persisted changes");
}

TEST_F(ConfigLive, a_change_holds_at_once_and_until_the_restart) {
  const auto live = open();
  const auto before = live->current();
  set(*live, kStrategyKey, "\"round_robin\"");
  EXPECT_EQ(live->current()->gpu.multi_gpu.default_strategy, "round_robin");
  EXPECT_EQ(before->gpu.multi_gpu.default_strategy, "least_loaded");
  EXPECT_EQ(state(*live, kStrategyKey).origin, Origin::run_time);
  EXPECT_TRUE(reloaded(*live).changed.empty());
  EXPECT_EQ(live->current()->gpu.multi_gpu.default_strategy, "round_robin");
  EXPECT_FALSE(fs::exists(persisted_));
  EXPECT_EQ(open()->current()->gpu.multi_gpu.default_strategy, "least_loaded");
}

TEST_F(ConfigLive, a_persisted_change_outlives_restarts_and_wins_over_the_file) {
  set(*open(), kTasksKey, "12", true);
  EXPECT_EQ(kept(), "{\n  \"version\": 1,\n  \"changes\": {\n    \"" + std::string(kTasksKey) + "\": 12\n  }\n}\n");
  const auto live = open();
  EXPECT_EQ(live->current()->gpu.multi_gpu.max_concurrent_tasks_per_gpu, 12);
  EXPECT_EQ(state(*live, kTasksKey).origin, Origin::persisted);
  EXPECT_EQ(state(*live, kTasksKey).line, 1);
  write("gpu: {multi_gpu: {max_concurrent_tasks_per_gpu: 7, queue_timeout: 5}}\n");
  const Reload done = reloaded(*live);
  EXPECT_EQ(done.held, Names{kTasksKey});
  EXPECT_EQ(done.changed, Names{"gpu.multi_gpu.queue_timeout"});
  EXPECT_EQ(live->current()->gpu.multi_gpu.max_concurrent_tasks_per_gpu, 12);
  set(*live, kTasksKey, "3");
  EXPECT_EQ(state(*live, kTasksKey).origin, Origin::run_time);
  set(*live, kTasksKey, "null");
  EXPECT_EQ(live->current()->gpu.multi_gpu.max_concurrent_tasks_per_gpu, 12);
  set(*live, kTasksKey, "null", true);
  EXPECT_EQ(live->current()->gpu.multi_gpu.max_concurrent_tasks_per_gpu, 7);
  EXPECT_EQ(state(*live, kTasksKey).origin, Origin::file);
  EXPECT_EQ(open()->current()->gpu.multi_gpu.max_concurrent_tasks_per_gpu, 7);
}

TEST_F(ConfigLive, what_is_not_allowed_changes_nothing) {
  const auto live = open();
  EXPECT_EQ(refusal(*live, kStrategyKey, "\"fastest\""),
            "gpu.multi_gpu.default_strategy: 'fastest' is not known; allowed: round_robin, least_loaded, "
            "memory_optimized, task_specific, random");
  EXPECT_EQ(refusal(*live, kTasksKey, "0", true),
            "gpu.multi_gpu.max_concurrent_tasks_per_gpu: '0' is out of range; allowed: a whole number from 1 to 10000 "
            "(tasks)");
  EXPECT_EQ(
      refusal(*live, kTasksKey, "{"),
      "gpu.multi_gpu.max_concurrent_tasks_per_gpu: '{' is not a valid JSON value for a key; allowed: a whole number "
      "from 1 to 10000 (tasks)");
  EXPECT_EQ(refusal(*live, kTasksKey, std::string(100000, '[')).substr(0, 56),
            "gpu.multi_gpu.max_concurrent_tasks_per_gpu: '[[[[[[[[[[[");
  EXPECT_EQ(refusal(*live, "gpu.multi_gpu.default_strateg", "1"),
            "unknown key 'gpu.multi_gpu.default_strateg', did you mean 'gpu.multi_gpu.default_strategy'?");
  set(*live, "gpu.multi_gpu.strategies", R"(["least_loaded", "random"])");
  EXPECT_EQ(refusal(*live, kStrategyKey, "\"round_robin\""),
            "gpu.multi_gpu.default_strategy: 'round_robin' is not in gpu.multi_gpu.strategies; allowed: "
            "least_loaded, random");
  EXPECT_EQ(refusal(*live, "gpu.multi_gpu.strategies", R"(["random"])"),
            "gpu.multi_gpu.default_strategy: 'least_loaded' is not in gpu.multi_gpu.strategies; allowed: random");
  EXPECT_EQ(live->current()->gpu.multi_gpu.default_strategy, "least_loaded");
  EXPECT_EQ(live->current()->gpu.multi_gpu.max_concurrent_tasks_per_gpu, 6);
  EXPECT_FALSE(fs::exists(persisted_));
}

TEST_F(ConfigLive, what_is_read_at_the_start_waits_for_the_restart) {
  const auto live = open();
  write("gpu: {max_temperature: 70}\nsonde:\n  server: {port: 9000}\n");
  const Reload done = reloaded(*live);
  EXPECT_EQ(done.changed, (Names{"gpu.max_temperature", kTasksKey}));
  EXPECT_EQ(done.waits_for_restart, Names{"sonde.server.port"});
  EXPECT_EQ(live->current()->sonde.server.port, 8470);
  const KeyState port = state(*live, "sonde.server.port");
  EXPECT_TRUE(port.waits_for_restart);
  EXPECT_EQ(port.value, "8470");
  EXPECT_EQ(port.origin, Origin::built_in);
  EXPECT_EQ(port.line, 3);
  EXPECT_EQ(open()->current()->sonde.server.port, 9000);
  EXPECT_EQ(refusal(*live, "sonde.server.port", "9001"),
            "sonde.server.port is read only at startup: change it in the file and restart the service, or persist the "
            "change");
  set(*live, "sonde.server.port", "9001", true);
  EXPECT_EQ(live->current()->sonde.server.port, 8470);
  EXPECT_EQ(open()->current()->sonde.server.port, 9001);
}

TEST_F(ConfigLive, a_file_with_mistakes_changes_nothing) {
  const auto live = open();
  write("gpu:\n  max_temperature: 70\n  memory_threshold: 2\n");
  const auto failed = live->reload();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message,
            file_ + ":3:21: gpu.memory_threshold: '2' is out of range; allowed: a number from 0 to 1");
  EXPECT_EQ(live->current()->gpu.max_temperature, 85);
  fs::remove(file_);
  EXPECT_FALSE(live->reload());
  EXPECT_FALSE(LiveConfig::open(file_, persisted_));
}

TEST_F(ConfigLive, a_file_that_takes_away_what_a_change_needs_is_refused) {
  const auto live = open();
  set(*live, kStrategyKey, "\"random\"", true);
  write("gpu: {multi_gpu: {strategies: [least_loaded]}}\n");
  const auto failed = live->reload();
  ASSERT_FALSE(failed);
  const std::string what =
      "gpu.multi_gpu.default_strategy: 'random' is not in gpu.multi_gpu.strategies; allowed: least_loaded";
  EXPECT_EQ(failed.error().message, file_ + " conflicts with changes made at run time: " + what);
  const auto opened = LiveConfig::open(file_, persisted_);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message, persisted_ + ": " + what +
                                        "\nThis change was made at run time and persisted; remove it from " +
                                        persisted_ + ", or change " + file_);
}

TEST_F(ConfigLive, a_broken_file_of_changes_is_told) {
  const auto told = [&](const std::string& text) {
    fs::create_directories(fs::path(persisted_).parent_path());
    std::ofstream(persisted_) << text;
    const auto opened = LiveConfig::open(file_, persisted_);
    return opened ? "it was taken" : opened.error().message;
  };
  EXPECT_EQ(told("{"),
            persisted_ + ": '{' is not a valid JSON value for a key; delete it, and the service creates a new one");
  EXPECT_EQ(told("[]"),
            persisted_ + ": it must contain \"version\": 1 and \"changes\"; fix it, or delete it to undo the changes");
  EXPECT_EQ(told(R"({"version": 1, "changes": {"gpu.enable": true}})"),
            persisted_ +
                ": unknown key 'gpu.enable', did you mean 'gpu.enabled'?; fix it, or delete it to undo "
                "the changes");
  EXPECT_NE(told(R"({"version": 1, "changes": {"gpu.enabled": 5}})").find("'5' is neither true nor false"),
            std::string::npos);
}

TEST_F(ConfigLive, a_change_that_cannot_be_kept_is_not_made) {
  persisted_ = "/proc/nobody/changes.json";
  const auto live = open();
  EXPECT_NE(refusal(*live, kTasksKey, "3", true).find("cannot write /proc/nobody/changes.json"), std::string::npos);
  EXPECT_EQ(live->current()->gpu.multi_gpu.max_concurrent_tasks_per_gpu, 6);
}

TEST_F(ConfigLive, changes_are_told_once_each) {
  const auto live = open();
  std::vector<int64_t> told;
  live->on_change([&](const Config& now) {
    told.push_back(now.gpu.multi_gpu.max_concurrent_tasks_per_gpu);
    EXPECT_EQ(live->current()->gpu.multi_gpu.max_concurrent_tasks_per_gpu, told.back());
  });
  set(*live, kTasksKey, "9");
  set(*live, kTasksKey, "9");
  set(*live, kTasksKey, "10", true);
  EXPECT_FALSE(live->set(kTasksKey, "-1", false));
  static_cast<void>(reloaded(*live));
  EXPECT_EQ(told, (std::vector<int64_t>{9, 10}));
}

TEST_F(ConfigLive, paths_are_told_from_the_folder_of_the_file) {
  write("sonde: {history: {path: data}, devices: {library: libnvidia-ml.so.1}, server: {port_file: /run/port}}\n");
  const auto live = open();
  EXPECT_EQ(live->current()->sonde.history.path, (folder_ / "data").string());
  EXPECT_EQ(live->current()->sonde.server.keys_file, (folder_ / "keys.json").string());
  EXPECT_EQ(live->current()->sonde.server.port_file, "/run/port");
  EXPECT_EQ(live->current()->sonde.devices.library, "libnvidia-ml.so.1");
  set(*live, "sonde.history.path", "\"elsewhere\"", true);
  EXPECT_EQ(open()->current()->sonde.history.path, (folder_ / "elsewhere").string());
}

TEST_F(ConfigLive, many_threads_change_and_read) {
  const auto live = open();
  constexpr int kRounds = 50;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kRounds; ++i) {
        if (thread == 0) static_cast<void>(live->reload());
        if (thread == 1) static_cast<void>(live->set(kTasksKey, std::to_string(1 + i), false));
        if (thread == 2) static_cast<void>(live->set("gpu.max_temperature", std::to_string(20 + i), i % 10 == 0));
        if (thread == 3) static_cast<void>(live->keys());
        EXPECT_GE(live->current()->gpu.multi_gpu.max_concurrent_tasks_per_gpu, 1);
      }
    });
  }
  threads.clear();
  EXPECT_EQ(live->current()->gpu.multi_gpu.max_concurrent_tasks_per_gpu, kRounds);
  EXPECT_EQ(live->current()->gpu.max_temperature, 20 + kRounds - 1);
}

}  // namespace config_live_test
}  // namespace sonde::config
