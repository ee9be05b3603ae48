#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/config.h"
#include "config/rule.h"

namespace sonde::config {

/// The member of a configuration that a key sets, for writing and for reading.
using Slot =
    std::variant<bool*, int64_t*, double*, std::string*, std::vector<std::string>*, std::map<std::string, std::string>*,
                 std::map<std::string, int64_t>*, std::map<std::string, TaskType>*>;
using View = std::variant<const bool*, const int64_t*, const double*, const std::string*,
                          const std::vector<std::string>*, const std::map<std::string, std::string>*,
                          const std::map<std::string, int64_t>*, const std::map<std::string, TaskType>*>;

/// When a changed value holds.
enum class When { live, restart };

/// A key: keys.inc. Reading, checks, the effective configuration, the reference and the JSON schema are made of it.
struct Key {
  std::string_view name;  ///< "gpu.multi_gpu.default_strategy"
  Slot (*slot)(Config& config);
  View (*view)(const Config& config);
  Rule rule;
  When when = When::live;
  std::string_view unit;  ///< "seconds"; empty where there is none
  std::string_view description;
};

/// A key of an entry of sonde.tasks.types: task_type_keys.inc.
struct TypeKey {
  std::string_view name;  ///< "working_directory"
  Slot (*slot)(TaskType& type);
  View (*view)(const TaskType& type);
  Rule rule;
  std::string_view unit;
  std::string_view description;
};
[[nodiscard]] std::span<const TypeKey> type_keys();

/// All keys, those of a section together.
[[nodiscard]] std::span<const Key> all_keys();
/// Null where there is no key of that name.
[[nodiscard]] const Key* find_key(std::string_view name);
/// The names directly below a section ("gpu": "enabled", ..., "multi_gpu", ...); "" for the sections of the file.
[[nodiscard]] std::vector<std::string_view> names_below(std::string_view section);
/// "queue_timeout" of "gpu.multi_gpu.queue_timeout".
[[nodiscard]] std::string_view last_part(std::string_view name);
/// "gpu.multi_gpu" of "gpu.multi_gpu.queue_timeout"; empty for the sections of the file.
[[nodiscard]] std::string_view section_of(std::string_view name);

/// "a number from 0.01 to 3600 (seconds)": what an error and the reference say.
[[nodiscard]] std::string allowed_text(const Key& key);
[[nodiscard]] std::string allowed_text(const Rule& rule, std::string_view unit);

/// The value as JSON. `secrets`: whole; else URLs that carry secrets and values of environment variables are shown
/// without them.
enum class Secrets { hidden, shown };
[[nodiscard]] std::string value_json(const Key& key, const Config& config, Secrets secrets = Secrets::hidden);
[[nodiscard]] std::string value_json(const TypeKey& key, const TaskType& type, Secrets secrets = Secrets::hidden);
/// All values, nested as in the file.
[[nodiscard]] std::string config_json(const Config& config, Secrets secrets = Secrets::hidden);
/// Copies the value of one key.
void copy_value(const Key& key, const Config& from, Config& to);
/// A relative path becomes one from `folder`; other values stay.
void resolve_path(const Key& key, Config& config, const std::string& folder);

}  // namespace sonde::config
