#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "api/api.h"

namespace sonde::api {

/// A route with its schemas parsed.
struct RouteEntry {
  const Route* route = nullptr;
  std::vector<std::string> segments;       ///< of its path
  std::vector<nlohmann::json> parameters;  ///< schemas, as route->parameters
  std::vector<nlohmann::json> body;        ///< its schema, or nothing
};

/// The routes of one path, and what its {parts} are in the request.
struct Place {
  std::vector<const RouteEntry*> entries;
  std::vector<std::string> values;
};

/// Finds routes by path.
class Router {
 public:
  Router();
  /// Without entries where the path is not known. `metrics_path`: where the metrics are, by the configuration.
  [[nodiscard]] Place find(const std::string& path, const std::string& metrics_path) const;
  /// ", did you mean '/api/v1/gpus'?" or nothing.
  [[nodiscard]] std::string suggestion(const std::string& path) const;

 private:
  std::vector<RouteEntry> entries_;
};

/// "GET, HEAD, OPTIONS": what a place takes.
[[nodiscard]] std::string allowed_methods(const Place& place);
/// The entry that answers a method; HEAD is answered as GET. Null where there is none.
[[nodiscard]] const RouteEntry* entry_for(const Place& place, Method method);

}  // namespace sonde::api
