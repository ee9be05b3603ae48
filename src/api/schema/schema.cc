#include "api/schema/schema.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/text/decimal.h"
#include "base/text/suggest.h"

namespace sonde::api {
namespace {

using Found = std::optional<Mismatch>;

constexpr std::string_view kComponentPrefix = "#/components/schemas/";

/// The components as the validator walks them, parsed once.
const nlohmann::json& components() {
  static const nlohmann::json all = nlohmann::json::parse(component_schemas().dump());
  return all;
}

const nlohmann::json& resolved(const nlohmann::json& schema) {
  const auto reference = schema.find("$ref");
  // NOLINTNEXTLINE(bugprone-return-const-ref-from-parameter): schemas outlive what is checked against them
  if (reference == schema.end()) return schema;
  return resolved(components().at(reference->get_ref<const std::string&>().substr(kComponentPrefix.size())));
}

bool is_of(const nlohmann::json& value, std::string_view type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "integer") return value.is_number_integer();
  return value.is_number();
}

std::vector<std::string> types_of(const nlohmann::json& schema) {
  const auto type = schema.find("type");
  if (type == schema.end()) return {};
  if (type->is_string()) return {type->get<std::string>()};
  return type->get<std::vector<std::string>>();
}

std::string with_article(const std::string& type) {
  if (type == "null") return type;
  return fmt::format("{} {}", std::string_view("aio").contains(type.front()) ? "an" : "a", type);
}

std::string types_text(const std::vector<std::string>& types) {
  std::vector<std::string> words;
  std::ranges::transform(types, std::back_inserter(words), with_article);
  return fmt::format("must be {}", fmt::join(words, " or "));
}

std::string shown(const nlohmann::json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

std::string enum_text(const nlohmann::json& value, const nlohmann::json& allowed) {
  std::vector<std::string> names;
  std::ranges::transform(allowed, std::back_inserter(names), shown);
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string suggestion = value.is_string() ? did_you_mean(value.get<std::string>(), views) : std::string();
  return fmt::format("must be one of: {}{}", fmt::join(names, ", "), suggestion);
}

std::string range_text(const nlohmann::json& schema) {
  const auto lowest = schema.find("minimum");
  const auto highest = schema.find("maximum");
  if (highest == schema.end()) return fmt::format("must be at least {}", lowest->dump());
  if (lowest == schema.end()) return fmt::format("must be at most {}", highest->dump());
  return fmt::format("must be from {} to {}", lowest->dump(), highest->dump());
}

Found number_mismatch(const nlohmann::json& value, const nlohmann::json& schema, const std::string& place) {
  const bool low = schema.contains("minimum") && value < schema["minimum"];
  const bool high = schema.contains("maximum") && value > schema["maximum"];
  if (!low && !high) return std::nullopt;
  return Mismatch{place, range_text(schema)};
}

/// Characters, as JSON Schema counts them, not bytes.
size_t length_of(const std::string& text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
}

Found string_mismatch(const nlohmann::json& value, const nlohmann::json& schema, const std::string& place) {
  const size_t length = length_of(value.get_ref<const std::string&>());
  if (const size_t min = schema.value("minLength", size_t{0}); length < min) {
    return Mismatch{place, min == 1 ? "must not be empty" : fmt::format("must have at least {} characters", min)};
  }
  if (const auto max = schema.find("maxLength"); max != schema.end() && length > max->get<size_t>()) {
    return Mismatch{place, fmt::format("must have at most {} characters", max->dump())};
  }
  return std::nullopt;
}

Found mismatch_at(const nlohmann::json& value, const nlohmann::json& unresolved, const std::string& place);

std::string inner_place(const std::string& place, const std::string& key) {
  return place.empty() ? key : fmt::format("{}.{}", place, key);
}

Found unknown_key(const std::string& key, const nlohmann::json& schema, const std::string& place) {
  std::vector<std::string_view> known;
  for (const auto& [name, inner] : schema.at("properties").items()) known.emplace_back(name);
  return Mismatch{inner_place(place, key), fmt::format("is not a known field{}; known fields: {}",
                                                       did_you_mean(key, known), fmt::join(known, ", "))};
}

Found member_mismatch(const std::string& key, const nlohmann::json& value, const nlohmann::json& schema,
                      const std::string& place) {
  const auto properties = schema.find("properties");
  if (properties != schema.end() && properties->contains(key)) {
    return mismatch_at(value, properties->at(key), inner_place(place, key));
  }
  const auto others = schema.find("additionalProperties");
  if (others == schema.end() || *others == true) return std::nullopt;
  if (others->is_object()) return mismatch_at(value, *others, inner_place(place, key));
  return unknown_key(key, schema, place);
}

Found object_mismatch(const nlohmann::json& value, const nlohmann::json& schema, const std::string& place) {
  for (const auto& [key, inner] : value.items()) {
    if (auto found = member_mismatch(key, inner, schema, place)) return found;
  }
  for (const nlohmann::json& key : schema.value("required", nlohmann::json::array())) {
    const auto& name = key.get_ref<const std::string&>();
    if (!value.contains(name)) return Mismatch{inner_place(place, name), "is missing"};
  }
  return std::nullopt;
}

Found array_mismatch(const nlohmann::json& value, const nlohmann::json& schema, const std::string& place) {
  if (const auto max = schema.find("maxItems"); max != schema.end() && value.size() > max->get<size_t>()) {
    return Mismatch{place, fmt::format("must have at most {} items", max->dump())};
  }
  const auto items = schema.find("items");
  for (size_t i = 0; items != schema.end() && i < value.size(); ++i) {
    if (auto found = mismatch_at(value[i], *items, fmt::format("{}[{}]", place, i))) return found;
  }
  return std::nullopt;
}

/// That of the first alternative, where none fits.
Found alternatives_mismatch(const nlohmann::json& value, const nlohmann::json& alternatives, const std::string& place) {
  Found first;
  for (const nlohmann::json& alternative : alternatives) {
    auto found = mismatch_at(value, alternative, place);
    if (!found) return std::nullopt;
    if (!first) first = std::move(found);
  }
  return first;
}

Found content_mismatch(const nlohmann::json& value, const nlohmann::json& schema, const std::string& place) {
  if (value.is_number()) return number_mismatch(value, schema, place);
  if (value.is_string()) return string_mismatch(value, schema, place);
  if (value.is_object()) return object_mismatch(value, schema, place);
  if (value.is_array()) return array_mismatch(value, schema, place);
  return std::nullopt;
}

Found mismatch_at(const nlohmann::json& value, const nlohmann::json& unresolved, const std::string& place) {
  const nlohmann::json& schema = resolved(unresolved);
  const auto types = types_of(schema);
  if (!types.empty() && std::ranges::none_of(types, [&](const auto& type) { return is_of(value, type); })) {
    return Mismatch{place, types_text(types)};
  }
  if (const auto allowed = schema.find("enum");
      allowed != schema.end() && std::ranges::find(*allowed, value) == allowed->end()) {
    return Mismatch{place, enum_text(value, *allowed)};
  }
  if (const auto one = schema.find("const"); one != schema.end() && *one != value) {
    return Mismatch{place, fmt::format("must be {}", one->dump())};
  }
  if (const auto alternatives = schema.find("anyOf"); alternatives != schema.end()) {
    if (auto found = alternatives_mismatch(value, *alternatives, place)) return found;
  }
  return content_mismatch(value, schema, place);
}

nlohmann::json list_value(std::string_view text, const nlohmann::json& items) {
  nlohmann::json list = nlohmann::json::array();
  while (true) {
    const size_t comma = std::min(text.find(','), text.size());
    list.push_back(parameter_value(text.substr(0, comma), items));
    if (comma == text.size()) return list;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

std::optional<Mismatch> mismatch(const nlohmann::json& value, const nlohmann::json& schema) {
  return mismatch_at(value, schema, {});
}

nlohmann::json parameter_value(std::string_view text, const nlohmann::json& unresolved) {
  const nlohmann::json& schema = resolved(unresolved);
  const auto types = types_of(schema);
  const auto is = [&](std::string_view type) { return std::ranges::find(types, type) != types.end(); };
  if (is("array")) return list_value(text, schema.at("items"));
  if (const auto number = integer_of<int64_t>(text); number && is("integer")) return *number;
  if (const auto number = real_of(text); number && is("number")) return *number;
  if (is("boolean") && (text == "true" || text == "false")) return text == "true";
  return std::string(text);
}

}  // namespace sonde::api
