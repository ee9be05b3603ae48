#include "config/change.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>
#include <nlohmann/json.hpp>

#include "base/files/small_file.h"
#include "base/text/suggest.h"
#include "config/value_reader.h"

namespace sonde::config {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr size_t kMaxChangeBytes = size_t{1} << 20U;

/// JSON without the depth that no value of a key has, and that would take the stack to write again.
Result<Json> parse_json(const std::string& text) {
  constexpr int kMaxDepth = 4;
  bool is_deep = false;
  if (text.size() > kMaxChangeBytes) return fail("it has {} bytes; allowed: {}", text.size(), kMaxChangeBytes);
  Json json = Json::parse(
      text,
      [&](int depth, Json::parse_event_t /*event*/, Json& /*parsed*/) {
        is_deep = is_deep || depth > kMaxDepth;
        return depth <= kMaxDepth;
      },
      false);
  if (json.is_discarded() || is_deep) return fail("{} is not a valid JSON value for a key", in_quotes(text));
  return json;
}

Result<Changes> changes_of(const Json& document) {
  const Json* found = document.is_object() && document.contains("changes") ? &document.at("changes") : nullptr;
  if (found == nullptr || !found->is_object() || document.value("version", 0) != kVersion) {
    return fail("it must contain \"version\": {} and \"changes\"", kVersion);
  }
  Changes changes;
  for (const auto& [name, value] : found->items()) {
    const auto key = known_key(name);
    if (!key) return std::unexpected(key.error());
    changes.emplace((*key)->name, value.dump());
  }
  return changes;
}

}  // namespace

Status apply_change(const Key& key, const std::string& json, const std::string& folder, Config& config) {
  const auto value = parse_json(json);
  if (!value) return fail("{}: {}; allowed: {}", key.name, value.error().message, allowed_text(key));
  std::vector<std::string> wrong;
  const auto complain = [&](const YAML::Mark& /*mark*/, std::string_view below, const std::string& says) {
    wrong.push_back(fmt::format("{}{}{}: {}", key.name, below.empty() ? "" : ".", below, says));
  };
  try {
    // JSON is YAML: it goes the way that the file's values go.
    read_value(YAML::Load(value->dump(1)), key, config, complain);
  } catch (const YAML::Exception& e) {
    wrong.push_back(
        fmt::format("{}: {} is not valid ({}); allowed: {}", key.name, in_quotes(json), e.msg, allowed_text(key)));
  }
  if (!wrong.empty()) return std::unexpected(Error{fmt::format("{}", fmt::join(wrong, "\n"))});
  resolve_path(key, config, folder);
  return {};
}

Result<const Key*> known_key(std::string_view name) {
  constexpr size_t kLongest = 128;  // the search takes the product of the lengths
  if (const Key* key = find_key(name)) return key;
  std::vector<std::string_view> names;
  for (const Key& key : all_keys()) names.push_back(key.name);
  return fail("unknown key {}{}", in_quotes(name), name.size() > kLongest ? "" : did_you_mean(name, names));
}

Result<Changes> read_changes(const std::string& file) {
  std::error_code error;
  if (file.empty() || !std::filesystem::exists(file, error)) return Changes();
  const auto text = read_small_file(file, kMaxChangeBytes);
  if (!text) return std::unexpected(text.error());
  const auto document = parse_json(*text);
  if (!document) return fail("{}: {}; delete it, and the service creates a new one", file, document.error().message);
  auto changes = changes_of(*document);
  if (!changes) return fail("{}: {}; fix it, or delete it to undo the changes", file, changes.error().message);
  return changes;
}

Status write_changes(const std::string& file, const Changes& changes) {
  Json document = {{"version", kVersion}, {"changes", Json::object()}};
  for (const auto& [name, json] : changes) document["changes"][std::string(name)] = Json::parse(json);
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  return replace_file(file, document.dump(2) + "\n");
}

}  // namespace sonde::config
