#include "api/arguments.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "api/schema/schema.h"
#include "api/schema/strict_json.h"
#include "base/text/suggest.h"

namespace sonde::api {
namespace {

std::unexpected<Response> refused(Response response) { return std::unexpected(std::move(response)); }

std::vector<std::string_view> parameter_names(const Route& route) {
  std::vector<std::string_view> names;
  std::ranges::transform(route.parameters, std::back_inserter(names), &Parameter::name);
  return names;
}

Response unknown_parameter(const std::string& name, const Route& route) {
  const auto names = parameter_names(route);
  const std::string allowed =
      names.empty() ? "It has no parameters." : fmt::format("Parameters: {}.", fmt::join(names, ", "));
  return refuse("unknown_parameter", {{"parameter", name},
                                      {"call", call_text(route)},
                                      {"suggestion", did_you_mean(name, names)},
                                      {"allowed", allowed}});
}

Answered<void> check_value(const std::string& name, const std::string& value, const nlohmann::json& schema) {
  const auto wrong = mismatch(parameter_value(value, schema), schema);
  if (!wrong) return {};
  return refused(refuse("invalid_parameter", {{"parameter", name}, {"what", wrong->what}}));
}

/// The media type without its parameters, in lower case.
std::string media_type(std::string_view header) {
  std::string type(header.substr(0, header.find(';')));
  std::erase_if(type, [](char c) { return c == ' ' || c == '\t'; });
  std::ranges::transform(type, type.begin(),
                         [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return type;
}

/// Calls that people have in scripts are `curl -d '{...}'`, which says that its body is a form's.
bool may_be_json(const std::string& type) {
  return type == "application/x-www-form-urlencoded" || type == "application/json" ||
         (type.starts_with("application/") && type.ends_with("+json"));
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

Answered<void> check_no_body(const Request& request, const Route& route) {
  // Clients that always send JSON send an empty object.
  if (is_blank(request.body) || request.body == "{}") return {};
  return refused(refuse("unexpected_body", {{"call", call_text(route)}}));
}

Answered<void> check_content_type(const Request& request) {
  const auto header = request.headers.find("content-type");
  if (header == request.headers.end() || may_be_json(media_type(header->second))) return {};
  return refused(refuse("not_json", {{"type", header->second}}));
}

Answered<nlohmann::json> check_content(const std::string& body, const Route& route, const nlohmann::json& schema) {
  auto json = parse_strictly(body);
  if (!json) return refused(refuse("broken_json", {{"what", json.error().message}, {"example", route.example}}));
  const auto wrong = mismatch(*json, schema);
  if (!wrong) return *std::move(json);
  const std::string place = wrong->place.empty() ? "The body" : fmt::format("'{}'", wrong->place);
  return refused(refuse("invalid_body", {{"place", place}, {"what", wrong->what}, {"example", route.example}}));
}

}  // namespace

std::string call_text(const Route& route) { return fmt::format("{} {}", method_name(route.method), route.path); }

Answered<void> check_query(const Request& request, const RouteEntry& entry) {
  const auto names = parameter_names(*entry.route);
  std::vector<std::string_view> seen;
  for (const auto& [name, value] : request.query) {
    const auto known = std::ranges::find(names, name);
    if (known == names.end()) return refused(unknown_parameter(name, *entry.route));
    if (std::ranges::find(seen, name) != seen.end())
      return refused(refuse("repeated_parameter", {{"parameter", name}}));
    seen.push_back(*known);
    if (auto fits = check_value(name, value, entry.parameters[static_cast<size_t>(known - names.begin())]); !fits)
      return fits;
  }
  return {};
}

Answered<nlohmann::json> check_body(const Request& request, const RouteEntry& entry, int64_t max_bytes) {
  if (request.body.size() > static_cast<size_t>(max_bytes)) {
    return refused(refuse("body_too_large",
                          {{"bytes", std::to_string(request.body.size())}, {"most", std::to_string(max_bytes)}}));
  }
  const Route& route = *entry.route;
  if (entry.body.empty()) {
    if (auto fits = check_no_body(request, route); !fits) return refused(std::move(fits).error());
    return nlohmann::json();
  }
  if (auto fits = check_content_type(request); !fits) return refused(std::move(fits).error());
  if (is_blank(request.body))
    return refused(refuse("missing_body", {{"call", call_text(route)}, {"example", route.example}}));
  return check_content(request.body, route, entry.body.front());
}

}  // namespace sonde::api
