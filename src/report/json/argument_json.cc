#include "report/json/argument_json.h"

#include <string>

namespace sonde {

std::string_view unit_suffix(Unit unit) {
  switch (unit) {
    case Unit::nanoseconds: return "_ns";
    case Unit::bytes: return "_bytes";
    case Unit::percent: return "_percent";
    case Unit::gigabytes_per_second: return "_gb_per_s";
    default: return "";
  }
}

nlohmann::ordered_json arguments_json(std::span<const Argument> arguments) {
  auto object = nlohmann::ordered_json::object();
  for (const Argument& a : arguments) {
    if (a.text.empty()) {
      const std::string_view suffix = unit_suffix(a.unit);
      object[suffix.ends_with(a.name) ? a.name : a.name + std::string(suffix)] = a.number;
    } else {
      object[a.name] = a.text;
    }
  }
  return object;
}

}  // namespace sonde
