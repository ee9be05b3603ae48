#include <algorithm>

#include "api/api.h"

namespace sonde::api {

std::string_view Call::query(std::string_view name) const {
  const auto found = std::ranges::find(request.query, name, &std::pair<std::string, std::string>::first);
  return found == request.query.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace sonde::api
