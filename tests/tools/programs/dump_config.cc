// What the configuration of the service is to the program, for tests and the reference:
//   dump_config check FILE...   the mistakes of each file, or "FILE: valid"
//   dump_config values FILE     the current configuration, as JSON
//   dump_config rows            the keys, as JSON

#include <cstdio>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/keys.h"
#include "config/read.h"

namespace {

using sonde::config::Key;
using sonde::config::Kind;
using sonde::config::Rule;
using Json = nlohmann::ordered_json;

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::flag: return "flag";
    case Kind::whole: return "whole";
    case Kind::number: return "number";
    case Kind::capability: return "capability";
    case Kind::one_of: return "one_of";
    case Kind::text: return "text";
    case Kind::some_of: return "some_of";
    case Kind::texts: return "texts";
    case Kind::gpu_by_type: return "gpu_by_type";
    case Kind::levels: return "levels";
    case Kind::labels: return "labels";
    case Kind::size: return "size";
    case Kind::words: return "words";
    case Kind::variables: return "variables";
    case Kind::url_by_gpu: return "url_by_gpu";
    case Kind::task_types: return "task_types";
  }
  return {};
}

/// What keys of the file and of a type of task have in common.
Json row_of(std::string_view name, const Rule& rule, std::string_view unit, std::string_view description,
            const std::string& value) {
  Json row = {{"name", name},
              {"kind", kind_name(rule.kind)},
              {"default", Json::parse(value)},
              {"allowed", sonde::config::allowed_text(rule, unit)},
              {"unit", unit},
              {"needs_restart", false},
              {"description", description},
              {"least", rule.min},
              {"most", rule.max},
              {"least_is_refused", rule.min_is_refused},
              {"names", rule.names}};
  if (rule.form != nullptr) row["pattern"] = rule.form->pattern;
  if (rule.kind == Kind::url_by_gpu) row["name_pattern"] = sonde::config::kGpuName.pattern;
  return row;
}

Json row_of(const Key& key) {
  Json row =
      row_of(key.name, key.rule, key.unit, key.description, sonde::config::value_json(key, sonde::config::Config()));
  row["needs_restart"] = key.when == sonde::config::When::restart;
  if (key.rule.kind != Kind::task_types) return row;
  row["keys"] = Json::array();
  for (const auto& of : sonde::config::type_keys()) {
    row["keys"].push_back(
        row_of(of.name, of.rule, of.unit, of.description, sonde::config::value_json(of, sonde::config::TaskType())));
  }
  return row;
}

int check(int count, char** files) {
  for (int i = 0; i < count; ++i) {
    const auto config = sonde::config::load_config(files[i]);
    fmt::print("{}\n", config ? fmt::format("{}: valid", files[i]) : config.error().message);
  }
  return 0;
}

int values(const char* file) {
  const auto config = sonde::config::load_config(file);
  fmt::print("{}\n", config ? sonde::config::config_json(*config) : config.error().message);
  return config ? 0 : 1;
}

int rows() {
  Json list = Json::array();
  for (const Key& key : sonde::config::all_keys()) list.push_back(row_of(key));
  fmt::print("{}\n", list.dump(1));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "check") return check(argc - 2, argv + 2);
  if (what == "values" && argc == 3) return values(argv[2]);
  if (what == "rows") return rows();
  fmt::print(stderr, "usage: dump_config check FILE... | values FILE | rows\n");
  return 2;
}
