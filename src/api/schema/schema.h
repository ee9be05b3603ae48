#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

/// The part of JSON Schema 2020-12 that the routes use: type, enum, const, minimum, maximum, minLength, maxLength,
/// required, properties, additionalProperties, items, maxItems, anyOf, and $ref to the components of the document.
namespace sonde::api {

/// A value that does not fit its schema.
struct Mismatch {
  std::string place;  ///< "strategy", "gpus[3].uuid"; empty for the whole
  std::string what;   ///< "must be one of: open, all"
};

/// The first mismatch; none where `value` fits.
[[nodiscard]] std::optional<Mismatch> mismatch(const nlohmann::json& value, const nlohmann::json& schema);

/// A parameter of the query as the JSON value that its schema asks for; text that is no such value stays a string.
[[nodiscard]] nlohmann::json parameter_value(std::string_view text, const nlohmann::json& unresolved);

/// Schemas by name, as they stand under components/schemas of the OpenAPI document.
[[nodiscard]] const nlohmann::ordered_json& component_schemas();

}  // namespace sonde::api
