#include <array>

#include "config/live.h"

namespace sonde::config {

std::string_view origin_name(Origin origin) {
  static constexpr std::array<std::string_view, 4> kNames = {"default", "file", "run_time", "persisted"};
  return kNames.at(static_cast<size_t>(origin));
}

}  // namespace sonde::config
