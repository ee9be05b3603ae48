// Every key of config.yaml, by the rows themselves: none can be forgotten.

#include "config/keys.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "config/change.h"
#include "config/read.h"

namespace sonde::config {
namespace config_keys_test {

using Json = nlohmann::json;

Json default_of(const Key& key) { return Json::parse(value_json(key, read_config("", "config.yaml").config)); }

/// A text of a form.
std::string sample_text(const Key& key) {
  const auto holds = key.rule.form->holds;
  if (holds == is_path) return "/etc/sonde/" + std::string(last_part(key.name));
  if (holds == is_library) return "libnvidia-ml.so.550";
  if (holds == is_address) return "127.0.0.2";
  if (holds == is_endpoint) return "/gpu-metrics";
  if (holds == is_url) return "https://example.com:9093";
  if (holds == is_currency) return "USD";
  return "low";
}

/// Types with all their keys.
Json some_types(const Key& key) {
  Config config;
  TaskType& training = config.sonde.tasks.types["training"];
  training.command = {"/usr/bin/python3", "train.py"};
  training.environment = {{"OMP_NUM_THREADS", "8"}};
  TaskType& asking = config.sonde.tasks.types["asking"];
  asking.workers = {{"gpu_0", "http://127.0.0.1:8000"}};
  return Json::parse(value_json(key, config, Secrets::shown));
}

/// An allowed value beside the default.
Json another_value(const Key& key) {
  const Rule& rule = key.rule;
  switch (rule.kind) {
    case Kind::flag: return !default_of(key).get<bool>();
    case Kind::whole: return rule.max - 1;
    case Kind::number: return (rule.min + rule.max) / 2;
    case Kind::capability: return 12.1;
    case Kind::one_of: return default_of(key) == rule.names.front() ? rule.names.back() : rule.names.front();
    case Kind::text: return sample_text(key);
    case Kind::some_of: return Json::array({"least_loaded", "round_robin"});
    case Kind::texts: return Json::array({sample_text(key)});
    case Kind::gpu_by_type:
      return Json{{"training", "gpu_3"}, {"inference", "GPU-00000000-0000-0000-0000-000000000001"}};
    case Kind::levels: return Json{{"normal", 3}, {"low", -1}};
    case Kind::labels: return Json{{"cluster", "east"}};
    case Kind::size: return rule.max / 2;
    case Kind::words: return Json::array({"record", "--to={output}", "{pid}", "-v", "-v", ""});
    case Kind::variables: return Json{{"OMP_NUM_THREADS", "8"}};
    case Kind::url_by_gpu: return Json{{"gpu_1", "http://127.0.0.1:8000"}};
    case Kind::task_types: return some_types(key);
  }
  return {};
}

/// Values that are not allowed.
std::vector<Json> wrong_values(const Key& key) {
  const Rule& rule = key.rule;
  switch (rule.kind) {
    case Kind::flag: return {"perhaps", 2, "true", nullptr, Json::array({true})};
    case Kind::whole: return {rule.min - 1, rule.max + 1, rule.max - 0.5, "5", true, nullptr};
    case Kind::number:
      return {rule.min_is_refused ? rule.min : std::nextafter(rule.min, -1e300),
              std::nextafter(rule.max, 1e300),
              "1",
              true,
              nullptr,
              Json::object()};
    case Kind::capability: return {7.25, "7.10", "seven", -7, 0, "100.0", nullptr};
    case Kind::one_of: return {"unheard_of", "", 1, Json::array({rule.names.front()}), nullptr};
    case Kind::text: return {Json::array({"x"}), "\x01", nullptr};
    case Kind::some_of: return {Json::array(), Json::array({"unheard_of"}), "least_loaded", nullptr};
    case Kind::texts: return {"https://example.com", Json::array({"no URL"}), Json::array({""}), 5};
    case Kind::gpu_by_type: return {Json{{"a", "gpu"}}, Json{{"a", "gpu_01"}}, Json{{"", "gpu_0"}}, "gpu_0"};
    case Kind::levels:
      return {Json::object(), Json{{"normal", 0.5}}, Json{{"normal", "first"}}, Json::array({"normal"})};
    case Kind::labels: return {Json{{"1st", "a"}}, Json{{"alertname", "a"}}, Json::array({"a"})};
    case Kind::size: return {rule.min - 1, rule.max * 2, "16Gi", "16 G", "GiB", "-1GiB", "1.5B", "many", true, nullptr};
    case Kind::words: return {"record --to={output}", 5, Json::object(), Json::array({Json::array({"a"})})};
    case Kind::variables: return {Json{{"1A", "a"}}, Json{{"CUDA_VISIBLE_DEVICES", "0"}}, Json::array({"A"}), "A=1"};
    case Kind::url_by_gpu: return {Json{{"gpu", "http://a"}}, Json{{"gpu_0", "a:80"}}, "http://a"};
    case Kind::task_types:
      return {"training", Json::array({"training"}), Json{{"training", 5}}, Json{{"", Json::object()}}};
  }
  return {};
}

/// What a key's new value needs beside it.
Json needed_beside(const Key& key) {
  if (key.name == "sonde.devices.source") return {{"/sonde/devices/simulated", "/gpus.yaml"}};
  if (key.name == "sonde.server.tls.key") return {{"/sonde/server/tls/certificate", "/c.pem"}};
  if (key.name == "sonde.server.tls.certificate") return {{"/sonde/server/tls/key", "/k.pem"}};
  return Json::object();
}

/// "/gpu/enabled".
std::string pointer_of(const Key& key) {
  std::string pointer = "/" + std::string(key.name);
  std::ranges::replace(pointer, '.', '/');
  return pointer;
}

/// A file with one key, and what it needs. JSON is YAML.
std::string file_of(const Key& key, const Json& value) {
  Json document = Json::object();
  const Json beside = value == default_of(key) ? Json::object() : needed_beside(key);
  for (const auto& [pointer, text] : beside.items()) document[Json::json_pointer(pointer)] = text;
  document[Json::json_pointer(pointer_of(key))] = value;
  return document.dump(1);
}

TEST(ConfigKeys, rows_are_complete_and_in_sections) {
  std::set<std::string_view> names;
  for (const Key& key : all_keys()) {
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
    EXPECT_FALSE(key.description.empty()) << key.name;
    EXPECT_FALSE(allowed_text(key).empty()) << key.name;
    EXPECT_TRUE(key.name.starts_with("gpu.") || key.name.starts_with("sonde.")) << key.name;
    EXPECT_EQ(find_key(key.name), &key);
    const bool is_text_kind = key.rule.kind == Kind::text || key.rule.kind == Kind::texts;
    EXPECT_EQ(is_text_kind && key.rule.form == nullptr, false) << key.name;
  }
  EXPECT_EQ(names_below(""), (std::vector<std::string_view>{"gpu", "sonde"}));
  EXPECT_EQ(names_below("sonde.server.tls"), (std::vector<std::string_view>{"certificate", "key"}));
  EXPECT_EQ(find_key("gpu"), nullptr);
}

TEST(ConfigKeys, every_default_is_allowed) {
  for (const Key& key : all_keys()) {
    const Reading reading = read_config(file_of(key, default_of(key)), "config.yaml");
    EXPECT_EQ(problems_text(reading.problems, "f"), "") << key.name;
    EXPECT_EQ(Json::parse(value_json(key, reading.config)), default_of(key)) << key.name;
  }
}

TEST(ConfigKeys, every_key_takes_another_value_and_only_that_changes) {
  for (const Key& key : all_keys()) {
    const Json value = another_value(key);
    ASSERT_NE(value, default_of(key)) << key.name;
    const Reading reading = read_config(file_of(key, value), "config.yaml");
    EXPECT_EQ(problems_text(reading.problems, "f"), "") << key.name;
    EXPECT_EQ(Json::parse(value_json(key, reading.config, Secrets::shown)), value) << key.name;
    for (const Key& other : all_keys()) {
      if (other.name == key.name || needed_beside(key).contains(pointer_of(other))) continue;
      EXPECT_EQ(Json::parse(value_json(other, reading.config)), default_of(other)) << key.name << " " << other.name;
    }
  }
}

TEST(ConfigKeys, every_key_refuses_what_is_not_allowed_and_says_what_is) {
  for (const Key& key : all_keys()) {
    const Config before = read_config("", "config.yaml").config;
    for (const Json& value : wrong_values(key)) {
      if (key.rule.kind == Kind::texts && value.is_null()) continue;
      const Reading reading = read_config(file_of(key, value), "config.yaml");
      const std::string what = problems_text(reading.problems, "f");
      ASSERT_FALSE(reading.problems.empty()) << key.name << " takes " << value;
      EXPECT_TRUE(reading.problems[0].key.starts_with(key.name)) << what;
      EXPECT_NE(what.find("; allowed: " + allowed_text(key)), std::string::npos) << what;
      EXPECT_GT(reading.problems[0].line, 1) << what;
      Config config = before;
      EXPECT_FALSE(apply_change(key, value.dump(), "", config)) << key.name << " takes " << value;
      EXPECT_EQ(value_json(key, config), value_json(key, before)) << key.name;
    }
  }
}

TEST(ConfigKeys, a_change_is_checked_as_the_file_is) {
  for (const Key& key : all_keys()) {
    Config config;
    const Status applied = apply_change(key, another_value(key).dump(), "", config);
    EXPECT_TRUE(applied) << applied.error().message;
    EXPECT_EQ(Json::parse(value_json(key, config, Secrets::shown)), another_value(key)) << key.name;
  }
}

TEST(ConfigKeys, secrets_are_not_shown) {
  Config config;
  config.sonde.alerts.webhooks = {"https://hooks.example.com/services/T0/B0/secret?token=1", "http://u:p@h:1"};
  config.sonde.alerts.alertmanagers = {"http://user:secret@am:9093/prefix"};
  EXPECT_EQ(value_json(*find_key("sonde.alerts.webhooks"), config),
            R"(["https://hooks.example.com/***","http://***@h:1"])");
  EXPECT_EQ(value_json(*find_key("sonde.alerts.alertmanagers"), config), R"(["http://***@am:9093/prefix"])");
  EXPECT_EQ(config_json(config).find("secret"), std::string::npos);
  EXPECT_NE(config_json(config, Secrets::shown).find("secret"), std::string::npos);
}

TEST(ConfigKeys, the_whole_configuration_reads_back_as_itself) {
  Config config = read_config("", "/etc/sonde/config.yaml").config;
  for (const Key& key : all_keys()) ASSERT_TRUE(apply_change(key, another_value(key).dump(), "/etc/sonde", config));
  const Reading again = read_config(config_json(config, Secrets::shown), "/elsewhere/config.yaml");
  EXPECT_EQ(problems_text(again.problems, "f"), "");
  EXPECT_EQ(config_json(again.config, Secrets::shown), config_json(config, Secrets::shown));
}

}  // namespace config_keys_test
}  // namespace sonde::config
