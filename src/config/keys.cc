#include "config/keys.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sonde::config {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kLogLevels = std::to_array<std::string_view>({"debug", "info", "warning", "error"});
constexpr auto kSources = std::to_array<std::string_view>({"nvml", "simulated"});
constexpr auto kSeverities = std::to_array<std::string_view>({"info", "warning", "critical"});
/// A pebibyte: more than any GPU or disk of a host has, and exact as a number of JSON.
constexpr double kMaxAmountBytes = 1125899906842624;

using enum When;

constexpr auto kKeys = std::to_array<Key>({
// NOLINTBEGIN(bugprone-macro-parentheses): members cannot stand in parentheses.
#define SONDE_CONFIG_KEY(m, r, w, u, d) \
  {#m, [](Config& c) -> Slot { return &c.m; }, [](const Config& c) -> View { return &c.m; }, r, w, u, d},
// NOLINTEND(bugprone-macro-parentheses)
#include "config/keys.inc"
#undef SONDE_CONFIG_KEY
});

constexpr auto kTypeKeys = std::to_array<TypeKey>({
// NOLINTBEGIN(bugprone-macro-parentheses): members cannot stand in parentheses.
#define SONDE_TASK_TYPE_KEY(m, r, u, d) \
  {#m, [](TaskType& t) -> Slot { return &t.m; }, [](const TaskType& t) -> View { return &t.m; }, r, u, d},
// NOLINTEND(bugprone-macro-parentheses)
#include "config/task_type_keys.inc"
#undef SONDE_TASK_TYPE_KEY
});

template <typename Use>
void with_value(const Key& key, const Config& config, Use use) {
  std::visit([&](const auto* value) { use(*value); }, key.view(config));
}

/// "https://user:secret@host/path" as "https://***@host/***".
std::string without_secrets(const std::string& url, bool path_is_secret) {
  const size_t host = url.find("://") + 3;
  const size_t path = url.find_first_of("/?", host);
  std::string authority = url.substr(host, path == std::string::npos ? path : path - host);
  if (const size_t user = authority.rfind('@'); user != std::string::npos) authority.replace(0, user, "***");
  std::string rest = path == std::string::npos ? "" : url.substr(path);
  if (path_is_secret && rest.size() > 1) rest = "/***";
  return url.substr(0, host) + authority + rest;
}

/// How a value of a rule is shown.
struct Show {
  const Rule& rule;
  Secrets secrets;
};

std::string shown(const Show& show, const std::string& text) {
  const TextForm* const form = show.rule.form;
  const bool is_url = form != nullptr && form->holds == config::is_url;
  if (show.secrets == Secrets::shown || !is_url || text.empty()) return text;
  return without_secrets(text, form->is_secret);
}

/// A number without digits behind the point that it does not have: 10, not 10.0.
Json number_json(double value) {
  const auto whole = static_cast<int64_t>(value);
  return static_cast<double>(whole) == value ? Json(whole) : Json(value);
}

Json json_of(const Show& /*show*/, bool value) { return value; }
Json json_of(const Show& show, int64_t value) {
  constexpr int64_t kPerMajor = 100;
  if (show.rule.kind != Kind::capability) return value;
  const int64_t major = value / kPerMajor;
  return static_cast<double>(10 * major + value % kPerMajor) / 10;
}
Json json_of(const Show& /*show*/, double value) { return number_json(value); }
Json json_of(const Show& show, const std::string& value) { return shown(show, value); }
Json json_of(const Show& show, const std::vector<std::string>& value) {
  Json list = Json::array();
  for (const std::string& item : value) list.push_back(shown(show, item));
  return list;
}
Json json_of(const Show& show, const std::map<std::string, std::string>& value) {
  const bool is_hidden = show.rule.kind == Kind::variables && show.secrets == Secrets::hidden;
  Json map = Json::object();
  for (const auto& [name, text] : value) map[name] = is_hidden ? "***" : shown(show, text);
  return map;
}
Json json_of(const Show& /*show*/, const std::map<std::string, int64_t>& value) {
  return value.empty() ? Json::object() : Json(value);
}

Json json_value(const TypeKey& key, const TaskType& type, Secrets secrets);

Json json_of(const Show& show, const std::map<std::string, TaskType>& value) {
  Json map = Json::object();
  for (const auto& [name, type] : value) {
    Json& entry = map[name] = Json::object();
    for (const TypeKey& key : kTypeKeys) {
      entry[std::string(key.name)] = json_value(key, type, show.secrets);
    }
  }
  return map;
}

Json json_value(const TypeKey& key, const TaskType& type, Secrets secrets) {
  return std::visit([&](const auto* member) { return json_of(Show{key.rule, secrets}, *member); }, key.view(type));
}

Json json_value(const Key& key, const Config& config, Secrets secrets) {
  Json json;
  with_value(key, config, [&](const auto& value) { json = json_of({key.rule, secrets}, value); });
  return json;
}

/// A relative path becomes one from `folder`.
void resolve(const Rule& rule, std::string& path, const std::string& folder) {
  const bool is_searched_for = rule.form->holds == is_library && path.find('/') == std::string::npos;
  if (path.empty() || path[0] == '/' || is_searched_for) return;
  path = (std::filesystem::path(folder) / path).lexically_normal().string();
}

bool is_path_rule(const Rule& rule) { return rule.kind == Kind::text && rule.form->is_path; }

void resolve_types(std::map<std::string, TaskType>& types, const std::string& folder) {
  for (auto& [name, type] : types) {
    for (const TypeKey& key : kTypeKeys) {
      if (is_path_rule(key.rule)) resolve(key.rule, *std::get<std::string*>(key.slot(type)), folder);
    }
  }
}

}  // namespace

std::span<const TypeKey> type_keys() { return kTypeKeys; }

std::span<const Key> all_keys() { return kKeys; }

const Key* find_key(std::string_view name) {
  const auto* const found = std::ranges::find(kKeys, name, &Key::name);
  return found == kKeys.end() ? nullptr : found;
}

std::vector<std::string_view> names_below(std::string_view section) {
  std::vector<std::string_view> names;
  const size_t skipped = section.empty() ? 0 : section.size() + 1;
  for (const Key& key : kKeys) {
    if (skipped > 0 && (!key.name.starts_with(section) || key.name[section.size()] != '.')) continue;
    const std::string_view rest = key.name.substr(skipped);
    const std::string_view name = rest.substr(0, rest.find('.'));
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string_view last_part(std::string_view name) {
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

std::string_view section_of(std::string_view name) {
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}

std::string allowed_text(const Rule& rule, std::string_view unit) {
  const bool has_unit = !unit.empty() && unit != "share";
  return allowed_text(rule) + (has_unit ? fmt::format(" ({})", unit) : "");
}

std::string allowed_text(const Key& key) { return allowed_text(key.rule, key.unit); }

std::string value_json(const Key& key, const Config& config, Secrets secrets) {
  return json_value(key, config, secrets).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string value_json(const TypeKey& key, const TaskType& type, Secrets secrets) {
  return json_value(key, type, secrets).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string config_json(const Config& config, Secrets secrets) {
  Json document = Json::object();
  for (const Key& key : kKeys) {
    std::string pointer = fmt::format("/{}", key.name);
    std::ranges::replace(pointer, '.', '/');
    document[Json::json_pointer(pointer)] = json_value(key, config, secrets);
  }
  return document.dump(2, ' ', false, Json::error_handler_t::replace);
}

void copy_value(const Key& key, const Config& from, Config& to) {
  with_value(key, from, [&]<typename T>(const T& value) { *std::get<T*>(key.slot(to)) = value; });
}

void resolve_path(const Key& key, Config& config, const std::string& folder) {
  if (key.rule.kind == Kind::task_types) {
    resolve_types(*std::get<std::map<std::string, TaskType>*>(key.slot(config)), folder);
  } else if (is_path_rule(key.rule)) {
    resolve(key.rule, *std::get<std::string*>(key.slot(config)), folder);
  }
}

}  // namespace sonde::config
