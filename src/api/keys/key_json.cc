#include "api/keys/key_json.h"

#include <algorithm>
#include <array>
#include <set>

#include <nlohmann/json.hpp>

#include "api/schema/schema.h"
#include "api/schema/strict_json.h"
#include "base/text/calendar.h"
#include "config/utf8.h"

namespace sonde::api {
namespace {

constexpr std::string_view kSchema = "sonde.keys/1";
constexpr size_t kLongestName = 64;

/// The part of docs/schemas/keys.schema.json that the validator knows.
constexpr std::string_view kFileSchema = R"({
  "type": "object", "required": ["schema", "keys"], "additionalProperties": false,
  "properties": {
    "schema": {"type": "string"},
    "keys": {"type": "array", "items": {
      "type": "object", "required": ["id", "name", "role", "sha256", "made", "expires"], "additionalProperties": false,
      "properties": {
        "id": {"type": "string"},
        "name": {"type": "string"},
        "role": {"type": "string", "enum": ["read", "submit", "admin"]},
        "sha256": {"type": "string", "minLength": 64, "maxLength": 64},
        "made": {"type": "string"},
        "expires": {"type": ["string", "null"]}}}}}})";

std::string stamp(int64_t seconds) { return moment_text(seconds) + "Z"; }

Result<int64_t> seconds_of(const nlohmann::json& text, std::string_view key) {
  const auto& stamp = text.get_ref<const std::string&>();
  const auto seconds =
      stamp.ends_with('Z') ? parse_moment(std::string_view(stamp).substr(0, stamp.size() - 1)) : std::nullopt;
  if (!seconds) return fail("'{}' is not a timestamp of the form 2026-01-31T12:00:00Z", key);
  return *seconds;
}

bool is_hex(std::string_view text) { return text.find_first_not_of("0123456789abcdef") == std::string_view::npos; }

bool looks_like_an_id(std::string_view name) {
  return name.size() == 8 && name.front() == 'k' && is_hex(name.substr(1));
}

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

/// C1 control characters are two bytes in UTF-8: C2 80 to C2 9F.
bool has_control(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_control(text[i])) return true;
    if (text[i] == '\xC2' && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
  }
  return false;
}

Result<StoredKey> key_of(const nlohmann::json& json) {
  StoredKey stored;
  stored.key.id = json["id"].get<std::string>();
  stored.key.name = json["name"].get<std::string>();
  stored.key.role = *role_of_name(json["role"].get_ref<const std::string&>());
  stored.sha256 = json["sha256"].get<std::string>();
  if (!looks_like_an_id(stored.key.id)) return fail("'id' is not k and seven hex digits");
  if (!is_hex(stored.sha256)) return fail("'sha256' is not 64 lower-case hex digits");
  SONDE_TRY(check_key_name(stored.key.name));
  const auto made = seconds_of(json["made"], "made");
  if (!made) return std::unexpected(made.error());
  stored.key.made_s = *made;
  if (json["expires"].is_null()) return stored;
  const auto expires = seconds_of(json["expires"], "expires");
  if (!expires) return std::unexpected(expires.error());
  stored.key.expires_s = *expires;
  return stored;
}

Status check_form(const nlohmann::json& json) {
  static const nlohmann::json file_form = nlohmann::json::parse(kFileSchema);
  if (const auto wrong = mismatch(json, file_form)) {
    return fail("{} {}", wrong->place.empty() ? "it" : fmt::format("'{}'", wrong->place), wrong->what);
  }
  const auto& schema = json["schema"].get_ref<const std::string&>();
  if (schema != kSchema) return fail("its 'schema' is '{}'; this program supports {}", schema, kSchema);
  return {};
}

}  // namespace

std::optional<Role> role_of_name(std::string_view name) {
  for (const Role role : {Role::read, Role::submit, Role::admin}) {
    if (role_name(role) == name) return role;
  }
  return std::nullopt;
}

Status check_key_name(const std::string& name) {
  if (name.empty()) return fail("a key needs a name, such as its user or purpose");
  if (has_control(name)) return fail("the name of a key must not contain control characters");
  if (config::first_bad_text(name)) return fail("the name of a key must be UTF-8");
  if (name.size() > kLongestName)
    return fail("the name of a key may have at most {} bytes; this name has {}", kLongestName, name.size());
  if (name.front() == ' ' || name.back() == ' ') return fail("the name of a key must not begin or end with a space");
  if (looks_like_an_id(name)) return fail("'{}' looks like a key ID; choose another name", name);
  return {};
}

std::string keys_json(const std::vector<StoredKey>& keys) {
  nlohmann::ordered_json json = {{"schema", kSchema}, {"keys", nlohmann::ordered_json::array()}};
  for (const StoredKey& stored : keys) {
    nlohmann::ordered_json key = {
        {"id", stored.key.id},     {"name", stored.key.name},          {"role", role_name(stored.key.role)},
        {"sha256", stored.sha256}, {"made", stamp(stored.key.made_s)}, {"expires", nullptr}};
    if (stored.key.expires_s) key["expires"] = stamp(*stored.key.expires_s);
    json["keys"].push_back(std::move(key));
  }
  return json.dump(2) + "\n";
}

Result<std::vector<StoredKey>> parse_keys(std::string_view text) {
  const auto json = parse_strictly(text);
  if (!json) return fail("it {}", json.error().message);
  SONDE_TRY(check_form(*json));
  std::vector<StoredKey> keys;
  std::set<std::string> seen;
  for (size_t i = 0; i < (*json)["keys"].size(); ++i) {
    auto key = key_of((*json)["keys"][i]);
    if (!key) return fail("keys[{}]: {}", i, key.error().message);
    if (!seen.insert(key->key.id).second) return fail("keys[{}]: duplicate id {}", i, key->key.id);
    keys.push_back(std::move(*key));
  }
  return keys;
}

}  // namespace sonde::api
