#include <array>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "api/schema/schema.h"
#include "device/fields.h"
#include "monitor/history.h"

namespace sonde::api {
namespace {

using Json = nlohmann::ordered_json;

struct Component {
  std::string_view name;
  std::string_view schema;
};

constexpr auto kComponents = std::to_array<Component>({
#define SONDE_SCHEMA(name, ...) {#name, #__VA_ARGS__},
#include "api/schema/component_schemas.inc"
#undef SONDE_SCHEMA
});

template <typename T>
constexpr std::string_view type_name() {
  if constexpr (std::is_same_v<T, int64_t>) return "integer";
  if constexpr (std::is_same_v<T, double>) return "number";
  if constexpr (std::is_same_v<T, bool>) return "boolean";
  return "string";
}

/// Numbers that stand for something are given in words: monitor/json.cc.
constexpr bool in_words(device::SmiFormat format) {
  return format == device::SmiFormat::version || format == device::SmiFormat::recovery ||
         format == device::SmiFormat::compute_mode;
}

Json value_schema(std::string_view type, device::SmiFormat format, std::string_view description) {
  return {{"type", {in_words(format) ? "string" : type, "null"}}, {"description", description}};
}

/// Of device/values.inc.
Json values_schema() {
  Json properties = Json::object();
#define SONDE_GPU_VALUE(member, type, group, smi, format, description) \
  properties[#member] = value_schema(type_name<type>(), device::SmiFormat::format, description);
  using std::string;
#include "device/values.inc"
  Json names = Json::array();
  for (const auto& [name, schema] : properties.items()) names.push_back(name);
  return {{"type", "object"},
          {"description", "values reported by the GPU; null if the GPU does not report a value"},
          {"required", names},
          {"additionalProperties", false},
          {"properties", properties}};
}

Json history_value_schema() {
  Json names = Json::array();
  for (const monitor::HistoryValue& value : monitor::history_values()) names.push_back(value.name);
  return {{"type", "string"}, {"enum", names}};
}

Json all_schemas() {
  Json all = Json::object();
  for (const Component& component : kComponents) all[std::string(component.name)] = Json::parse(component.schema);
  all["GpuValues"] = values_schema();
  all["HistoryValue"] = history_value_schema();
  return all;
}

}  // namespace

const Json& component_schemas() {
  static const Json all = all_schemas();
  return all;
}

}  // namespace sonde::api
