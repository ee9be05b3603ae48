#include "api/router.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/text/suggest.h"

namespace sonde::api {
namespace {

constexpr std::string_view kMetricsRoute = "metrics";

std::vector<std::string> segments_of(std::string_view path) {
  std::vector<std::string> segments;
  while (!path.empty()) {
    path.remove_prefix(1);
    const size_t slash = std::min(path.find('/'), path.size());
    segments.emplace_back(path.substr(0, slash));
    path.remove_prefix(slash);
  }
  return segments;
}

bool is_part(std::string_view segment) { return segment.starts_with('{'); }

bool fits(const std::vector<std::string>& pattern, const std::vector<std::string>& path) {
  return std::ranges::equal(pattern, path, [](const std::string& wanted, const std::string& given) {
    return is_part(wanted) ? !given.empty() : wanted == given;
  });
}

std::vector<std::string> values_of(const std::vector<std::string>& pattern, const std::vector<std::string>& path) {
  std::vector<std::string> values;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (is_part(pattern[i])) values.push_back(path[i]);
  }
  return values;
}

RouteEntry entry_of(const Route& route) {
  RouteEntry entry{.route = &route, .segments = segments_of(route.path), .parameters = {}, .body = {}};
  for (const Parameter& parameter : route.parameters)
    entry.parameters.push_back(nlohmann::json::parse(parameter.schema));
  if (!route.body.empty()) entry.body.push_back(nlohmann::json::parse(route.body));
  return entry;
}

std::string lower(std::string_view text) {
  std::string lowered(text);
  std::ranges::transform(lowered, lowered.begin(),
                         [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return lowered;
}

/// With the first part's name in the place of what was given: "/api/v1/gpu/0" is near to "/api/v1/gpus/{gpu}".
std::string with_parts_of(const std::vector<std::string>& pattern, const std::vector<std::string>& path) {
  std::string text;
  for (size_t i = 0; i < pattern.size(); ++i) text += "/" + (is_part(pattern[i]) ? path[i] : pattern[i]);
  return text;
}

}  // namespace

Router::Router() {
  for (const Route* route : routes()) entries_.push_back(entry_of(*route));
}

Place Router::find(const std::string& path, const std::string& metrics_path) const {
  const auto segments = segments_of(path);
  Place place;
  if (!path.starts_with('/')) return place;
  for (const RouteEntry& entry : entries_) {
    const bool here = entry.route->name == kMetricsRoute ? path == metrics_path : fits(entry.segments, segments);
    if (!here) continue;
    if (place.entries.empty()) place.values = values_of(entry.segments, segments);
    place.entries.push_back(&entry);
  }
  return place;
}

std::string Router::suggestion(const std::string& path) const {
  // What was given stands in the known paths too, and their distance takes the product of the lengths.
  constexpr size_t kLongest = 200;
  if (path.size() > kLongest) return {};
  const std::string wanted = lower(path.size() > 1 && path.ends_with('/') ? path.substr(0, path.size() - 1) : path);
  const auto segments = segments_of(wanted);
  std::vector<std::string> known;
  for (const RouteEntry& entry : entries_) {
    if (entry.segments.size() == segments.size()) known.push_back(with_parts_of(entry.segments, segments));
    known.emplace_back(entry.route->path);
  }
  if (std::ranges::find(known, wanted) != known.end()) return fmt::format(", did you mean '{}'?", wanted);
  const std::vector<std::string_view> views(known.begin(), known.end());
  return did_you_mean(wanted, views);
}

std::string allowed_methods(const Place& place) {
  std::string allowed;
  for (const RouteEntry* entry : place.entries) {
    allowed += fmt::format("{}, ", method_name(entry->route->method));
    if (entry->route->method == Method::get) allowed += "HEAD, ";
  }
  return allowed + "OPTIONS";
}

const RouteEntry* entry_for(const Place& place, Method method) {
  const Method wanted = method == Method::head ? Method::get : method;
  const auto found =
      std::ranges::find_if(place.entries, [&](const auto* entry) { return entry->route->method == wanted; });
  return found == place.entries.end() ? nullptr : *found;
}

}  // namespace sonde::api
