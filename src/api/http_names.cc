#include <array>

#include "api/keys/keys.h"
#include "api/message.h"

/// Enumerators as HTTP and JSON have them.
namespace sonde::api {

std::string_view method_name(Method method) {
  static constexpr std::array<std::string_view, 8> kNames = {"GET",    "POST", "PUT",     "PATCH",
                                                             "DELETE", "HEAD", "OPTIONS", "OTHER"};
  return kNames.at(static_cast<size_t>(method));
}

std::string_view role_name(Role role) {
  static constexpr std::array<std::string_view, 4> kNames = {"none", "read", "submit", "admin"};
  return kNames.at(static_cast<size_t>(role));
}

}  // namespace sonde::api
