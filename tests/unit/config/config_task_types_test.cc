// Types of tasks in config.yaml: their keys by the rows themselves, and what goes together.

#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text/byte_size.h"
#include "config/keys.h"
#include "config/live.h"
#include "config/mappings.h"
#include "config/read.h"

namespace sonde::config {
namespace config_task_types_test {

using Json = nlohmann::json;

/// A file with one type: flow style, so that what is wrong stands on one line.
std::string file_of(const std::string& type, const std::string& tasks = "") {
  return "sonde:\n  tasks:\n" + tasks + "    types:\n      training: " + type + "\n";
}

std::string told_of(const std::string& type, const std::string& tasks = "") {
  return problems_text(read_config(file_of(type, tasks), "/etc/sonde/config.yaml").problems, "f");
}

TaskType read_type(const std::string& type) {
  const Reading reading = read_config(file_of(type), "/etc/sonde/config.yaml");
  EXPECT_EQ(problems_text(reading.problems, "f"), "") << type;
  return reading.config.sonde.tasks.types.at("training");
}

TEST(ConfigTaskTypes, a_type_is_read_with_all_its_keys) {
  const TaskType type = read_type(
      "{description: one run, command: [python3, train.py, --epochs, 10, -v, -v], allow_arguments: yes, "
      "allow_environment: [SEED], environment: {OMP_NUM_THREADS: 8}, working_directory: models, gpus: 2, "
      "memory_bytes: 16GiB, time_limit: 1.5, priority: low, retries: 0, profile: every 100, simulated_utilization: "
      "12.5, "
      "simulated_memory_bytes: 512 MiB}");
  EXPECT_EQ(type.command, (std::vector<std::string>{"python3", "train.py", "--epochs", "10", "-v", "-v"}));
  EXPECT_TRUE(type.allow_arguments);
  EXPECT_EQ(type.allow_environment, std::vector<std::string>{"SEED"});
  EXPECT_EQ(type.environment.at("OMP_NUM_THREADS"), "8");
  EXPECT_EQ(type.working_directory, "/etc/sonde/models");
  EXPECT_EQ(type.gpus, 2);
  EXPECT_EQ(type.memory_bytes, int64_t{16} << 30U);
  EXPECT_EQ(type.time_limit, 1.5);
  EXPECT_EQ(type.retries, 0);
  EXPECT_EQ(type.profile, "every 100");
  EXPECT_EQ(type.simulated_memory_bytes, int64_t{512} << 20U);
  EXPECT_EQ(read_type("{command: [\"true\"]}").retries, -1);
}

TEST(ConfigTaskTypes, every_key_has_a_default_that_is_allowed) {
  for (const TypeKey& key : type_keys()) {
    EXPECT_FALSE(key.description.empty()) << key.name;
    const std::string value = value_json(key, TaskType());
    const std::string command = key.name == "command" ? "" : "command: [\"true\"], ";
    const std::string type = fmt::format("{{{}{}: {}}}", command, key.name, value);
    EXPECT_EQ(told_of(type, "    allow_undeclared_commands: true\n"), "") << type;
  }
}

TEST(ConfigTaskTypes, every_key_refuses_what_it_does_not_take) {
  for (const TypeKey& key : type_keys()) {
    const bool takes_any_text = key.rule.kind == Kind::text && key.name != "profile";
    const std::string wrong = takes_any_text ? "[x]" : "!x {y: [z]}";
    const std::string told =
        told_of(fmt::format("{{{}: {}}}", key.name, wrong), "    allow_undeclared_commands: true\n");
    EXPECT_NE(told.find(fmt::format("sonde.tasks.types.training.{}", key.name)), std::string::npos) << told;
    EXPECT_NE(told.find("; allowed: "), std::string::npos) << told;
    EXPECT_TRUE(told.starts_with("f:")) << told;
  }
}

TEST(ConfigTaskTypes, what_does_not_go_together_is_told_at_its_key) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"{command: [a], workers: {gpu_0: \"http://a\"}}",
       "f:4:32: sonde.tasks.types.training.workers: the type also has a command"},
      {"{gpus: 1}", "f:4:7: sonde.tasks.types.training.command: the type runs nothing"},
      {"{command: [], allow_arguments: true}", "the type has no command to add arguments to"},
      {"{command: [a], model: m}", "the type has a model but no workers"},
      {"{command: [a], model_version: \"1\"}", "the type has a model but no workers"},
      {"{command: [\"\"]}", "the program's name is empty"},
      {"{command: [./a]}", "'./a' is resolved against the task's own folder"},
      {"{workers: {gpu_0: \"http://a\"}, gpus: 2}", "2 GPUs with workers"},
      {"{workers: {gpu_0: \"http://a\"}, environment: {A: b}}",
       "training.environment: requests to workers start no program"},
      {"{workers: {gpu_0: \"http://a\"}, allow_environment: [A]}", "training.allow_environment: workers are asked"},
      {"{workers: {gpu_0: \"http://a\"}, working_directory: /a}", "training.working_directory: workers are asked"},
      {"{command: [a], priority: urgent}",
       "'urgent' is not in gpu.multi_gpu.queue_priority_levels; allowed: high, low, normal"},
  };
  for (const auto& [type, expected] : wrong)
    EXPECT_NE(told_of(type).find(expected), std::string::npos) << told_of(type);
  EXPECT_EQ(told_of("{command: [./a], working_directory: /srv}"), "");
  EXPECT_EQ(told_of("{gpus: 0}", "    allow_undeclared_commands: true\n"), "");
  EXPECT_NE(told_of("{command: [a], profile: always}", "    profiles: {command: []}\n")
                .find("needs sonde.tasks.profiles.command"),
            std::string::npos);
  EXPECT_NE(told_of("{command: [a]}", "    profiles: {command: [nsys]}\n").find("no word has {output}"),
            std::string::npos);
  EXPECT_NE(
      told_of("{command: [a]}", "    profiles: {attach_command: [nsys, \"{output}\"]}\n").find("no word has {pid}"),
      std::string::npos);
}

TEST(ConfigTaskTypes, values_of_variables_are_not_shown) {
  const Reading reading = read_config(file_of("{command: [a], environment: {TOKEN: secret}}") +
                                          "      asking: {workers: {gpu_0: \"http://user:secret@worker:8000/v2\"}}\n",
                                      "config.yaml");
  ASSERT_EQ(problems_text(reading.problems, "f"), "");
  const std::string shown = config_json(reading.config);
  EXPECT_EQ(shown.find("secret"), std::string::npos) << shown;
  EXPECT_NE(shown.find(R"("TOKEN": "***")"), std::string::npos) << shown;
  EXPECT_NE(shown.find("http://***@worker:8000/v2"), std::string::npos) << shown;
  const auto again = read_config(config_json(reading.config, Secrets::shown), "/elsewhere/config.yaml");
  EXPECT_EQ(again.config.sonde.tasks.types.at("training").environment.at("TOKEN"), "secret");
}

TEST(ConfigTaskTypes, workers_have_to_serve_gpus_that_there_are) {
  const Reading reading = read_config(file_of("{workers: {gpu_7: \"http://a\"}}"), "config.yaml");
  const std::vector<std::string> uuids = {"GPU-00000000-0000-0000-0000-000000000001"};
  const Status checked = check_mappings(reading.config, uuids);
  ASSERT_FALSE(checked);
  EXPECT_NE(checked.error().message.find("sonde.tasks.types.training.workers.gpu_7: this host has no GPU 'gpu_7'"),
            std::string::npos)
      << checked.error().message;
}

TEST(ConfigTaskTypes, how_often_a_type_is_recorded) {
  EXPECT_EQ(profile_every("never"), 0);
  EXPECT_EQ(profile_every("always"), 1);
  EXPECT_EQ(profile_every("every 100"), 100);
  for (const char* text :
       {"", "every", "every 0", "every 01", "every -1", "every 1.5", "Always", "every 9999999999", "every 1 "}) {
    EXPECT_FALSE(profile_every(text)) << text;
  }
}

TEST(ByteSize, texts_are_bytes) {
  EXPECT_EQ(bytes_of_text("0"), 0);
  EXPECT_EQ(bytes_of_text("17179869184"), int64_t{16} << 30U);
  EXPECT_EQ(bytes_of_text("16GiB"), int64_t{16} << 30U);
  EXPECT_EQ(bytes_of_text("1.5 KiB"), 1536);
  EXPECT_EQ(bytes_of_text("8GB"), 8'000'000'000);
  EXPECT_EQ(bytes_of_text("9223372036854775807"), INT64_MAX);
  for (const char* text : {"", "GiB", "16G", "16Gi", "16 gib", "-1", "-1GiB", "1e3", "0.5", "1.0001KiB", "1..5GiB",
                           "16  GiB", "16GiB ", "9223372036854775808", "99999999TiB"}) {
    EXPECT_FALSE(bytes_of_text(text)) << text;
  }
  for (const int64_t bytes : {int64_t{0}, int64_t{1000}, int64_t{1024}, int64_t{1536}, int64_t{16} << 30U, INT64_MAX}) {
    EXPECT_EQ(bytes_of_text(byte_size_text(bytes)), bytes) << byte_size_text(bytes);
  }
  EXPECT_EQ(byte_size_text(int64_t{1536} << 20U), "1536MiB");
}

}  // namespace config_task_types_test
}  // namespace sonde::config
