#include "config/read.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include <gtest/gtest.h>

#include "config/mappings.h"

namespace sonde::config {
namespace config_read_test {

Config config_of(std::string_view yaml) {
  const Reading reading = read_config(yaml, "config.yaml");
  EXPECT_EQ(problems_text(reading.problems, "f"), "") << yaml;
  return reading.config;
}

std::string told_of(std::string_view yaml) { return problems_text(read_config(yaml, "c.yaml").problems, "c.yaml"); }

int64_t capability_of(const std::string& text) {
  return config_of("gpu: {min_compute_capability: " + text + "}").gpu.min_compute_capability;
}

TEST(ConfigRead, capabilities_are_versions) {
  EXPECT_EQ(capability_of("7"), 700);
  EXPECT_EQ(capability_of("7.0"), 700);
  EXPECT_EQ(capability_of("\"7.0\""), 700);
  EXPECT_EQ(capability_of("7.5"), 705);
  EXPECT_EQ(capability_of("10.0"), 1000);
  EXPECT_EQ(capability_of("12.1"), 1201);
  EXPECT_LT(capability_of("7.5"), capability_of("8.0"));
  EXPECT_LT(capability_of("9.0"), capability_of("10.0"));
  EXPECT_LT(capability_of("12.0"), capability_of("12.1"));
}

TEST(ConfigRead, nothing_is_all_defaults) {
  for (const std::string_view yaml : {"", "\n", "# nothing\n", "---\n", "gpu:\n", "gpu: {}\nsonde:\n  server:\n", "~\n",
                                      "\xEF\xBB\xBFgpu:\n", "gpu:\r\n  multi_gpu:\r\n"}) {
    const Config config = config_of(yaml);
    EXPECT_EQ(config.gpu.multi_gpu.default_strategy, "least_loaded");
    EXPECT_EQ(config.gpu.min_compute_capability, 700);
    EXPECT_EQ(config.sonde.server.keys_file, "keys.json");
  }
}

TEST(ConfigRead, other_sections_are_left_alone) {
  const Config config = config_of(
      "system: &s {a: [1, {b: c}], a: twice, <<: x}\n"
      "gpu: {max_temperature: 70}\n"
      "'5': !tag {gpu: {enabled: never}}\n"
      "[list]: as a key\n");
  EXPECT_EQ(config.gpu.max_temperature, 70);
  EXPECT_TRUE(config.gpu.enabled);
}

TEST(ConfigRead, flags_as_yaml_has_them) {
  for (const std::string_view text : {"true", "True", "TRUE", "yes", "On"}) {
    EXPECT_TRUE(config_of("gpu: {enabled: " + std::string(text) + "}").gpu.enabled) << text;
  }
  for (const std::string_view text : {"false", "False", "no", "OFF"}) {
    EXPECT_FALSE(config_of("gpu: {enabled: " + std::string(text) + "}").gpu.enabled) << text;
  }
}

TEST(ConfigRead, numbers_as_yaml_has_them) {
  EXPECT_EQ(config_of("gpu: {max_temperature: +80}").gpu.max_temperature, 80);
  EXPECT_EQ(config_of("gpu: {max_temperature: 8e1}").gpu.max_temperature, 80);
  EXPECT_EQ(config_of("gpu: {memory_threshold: .5}").gpu.memory_threshold, 0.5);
  EXPECT_EQ(config_of("gpu: {multi_gpu: {max_queue_size: 50.0}}").gpu.multi_gpu.max_queue_size, 50);
  EXPECT_EQ(config_of("gpu: {max_temperature: !!float 80}").gpu.max_temperature, 80);
}

TEST(ConfigRead, lists_and_maps_replace_the_defaults) {
  const MultiGpu gpu = config_of(
                           "gpu:\n  multi_gpu:\n    strategies: [least_loaded]\n"
                           "    queue_priority_levels: {normal: 5, batch: 9}\n"
                           "    task_specific_mappings:\n      llm: GPU-12345678-1234-1234-1234-1234567890ab\n"
                           "      vision: MIG-12345678-1234-1234-1234-1234567890ab\n"
                           "      old: MIG-GPU-12345678-1234-1234-1234-1234567890ab/7/0\n      any: gpu_10\n")
                           .gpu.multi_gpu;
  EXPECT_EQ(gpu.strategies, std::vector<std::string>{"least_loaded"});
  EXPECT_EQ(gpu.queue_priority_levels, (std::map<std::string, int64_t>{{"normal", 5}, {"batch", 9}}));
  EXPECT_EQ(gpu.task_specific_mappings.size(), 4U);
  EXPECT_TRUE(config_of("gpu: {multi_gpu: {task_specific_mappings: }}").gpu.multi_gpu.task_specific_mappings.empty());
}

TEST(ConfigRead, urls) {
  for (const std::string_view url : {"http://a", "https://a.b:1/c?d=e", "http://[::1]:9093", "http://u:p@host:80/"}) {
    EXPECT_EQ(config_of("sonde: {alerts: {webhooks: ['" + std::string(url) + "']}}").sonde.alerts.webhooks.size(), 1U);
  }
  for (const std::string_view url : {"http://", "http:/a", "a", "http://a b", "http://a:0", "http://a:x",
                                     "http://[1]:2", "http://-a", "http://a/#part", "HTTP//a", "http://:80"}) {
    EXPECT_NE(told_of("sonde: {alerts: {webhooks: ['" + std::string(url) + "']}}"), "") << url;
  }
}

TEST(ConfigRead, addresses) {
  for (const std::string_view address : {"127.0.0.1", "::1", "localhost", "127.9.9.9"}) {
    EXPECT_EQ(told_of("sonde: {server: {address: '" + std::string(address) + "'}}"), "") << address;
  }
  for (const std::string_view address : {"0.0.0.0", "::", "10.0.0.1", "fe80::1"}) {
    const std::string server = "sonde: {server: {address: '" + std::string(address) + "', ";
    EXPECT_NE(told_of(server + "}}"), "") << address;
    EXPECT_EQ(told_of(server + "allow_plain_http: true}}"), "") << address;
    EXPECT_EQ(told_of(server + "tls: {certificate: c.pem, key: k.pem}}}"), "") << address;
  }
}

TEST(ConfigRead, all_mistakes_are_told_in_the_order_of_the_file) {
  const std::string told = told_of("gpu:\n  enabled: 2\n  multi_gpu: {queue_timeout: -1}\n  max_temperature: x\n");
  EXPECT_EQ(told,
            "c.yaml:2:12: gpu.enabled: '2' is neither true nor false; allowed: true or false\n"
            "c.yaml:3:30: gpu.multi_gpu.queue_timeout: '-1' is out of range; allowed: a number above 0, at most "
            "31536000 (seconds)\n"
            "c.yaml:4:20: gpu.max_temperature: 'x' is not a number; allowed: a number from 1 to 150 (Celsius)");
}

TEST(ConfigRead, mistakes_without_end_are_cut) {
  std::string yaml = "gpu:\n";
  for (int i = 0; i < 5000; ++i) yaml += "  key" + std::to_string(i) + ": 1\n";
  const std::string told = told_of(yaml);
  EXPECT_EQ(std::ranges::count(told, '\n'), 100);
  EXPECT_TRUE(told.ends_with("\nc.yaml: and at least 900 more")) << told.substr(told.rfind('\n'));
}

TEST(ConfigRead, files_that_cannot_be_read) {
  const std::string folder = std::filesystem::temp_directory_path().string();
  EXPECT_EQ(load_config(folder).error().message,
            "cannot read " + folder + ": it is a folder; name a file in it, such as " + folder + "/config.yaml");
  EXPECT_EQ(load_config("/nowhere/config.yaml").error().message,
            "cannot open /nowhere/config.yaml: No such file or directory");
  const std::string large = folder + "/sonde_large_" + std::to_string(getpid()) + ".yaml";
  std::ofstream(large) << std::string(2 << 20, '#');
  EXPECT_EQ(load_config(large).error().message,
            large + ": the file is larger than 1048576 bytes; allowed: at most that size");
  std::filesystem::remove(large);
}

TEST(ConfigRead, gpus_of_mappings_have_to_exist) {
  Config config;
  const std::vector<std::string> uuids = {"GPU-aa", "GPU-bb"};
  const std::vector<std::string> mig = {"MIG-cc"};
  config.gpu.multi_gpu.task_specific_mappings = {{"a", "gpu_0"}, {"b", "gpu_1"}, {"c", "GPU-BB"}, {"d", "MIG-cc"}};
  EXPECT_TRUE(check_mappings(config, uuids, mig));
  config.gpu.multi_gpu.task_specific_mappings = {{"a", "gpu_2"}, {"b", "gpu_1"}, {"c", "GPU-dd"}};
  EXPECT_EQ(check_mappings(config, uuids, mig).error().message,
            "gpu.multi_gpu.task_specific_mappings.a: this host has no GPU 'gpu_2'; allowed: gpu_0 to gpu_1, or a UUID "
            "as `sonde gpus -L` prints it\n"
            "gpu.multi_gpu.task_specific_mappings.c: this host has no GPU 'GPU-dd'; allowed: gpu_0 to gpu_1, or a UUID "
            "as `sonde gpus -L` prints it");
}

}  // namespace config_read_test
}  // namespace sonde::config
