#pragma once

#include <span>
#include <string_view>

namespace sonde {

/// A file of deploy/ci, as it stands there.
struct CiTemplate {
  std::string_view name;  ///< path within that folder
  std::string_view text;
};

[[nodiscard]] std::span<const CiTemplate> ci_templates();

}  // namespace sonde
