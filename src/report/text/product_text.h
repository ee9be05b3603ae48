#pragma once

#include <string>

#include "trace/entities.h"

namespace sonde {

/// What recorded a rank, with its version where the file tells.
[[nodiscard]] inline std::string product_text(const Rank& rank) {
  return rank.product_version.empty() ? rank.product : rank.product + " " + rank.product_version;
}

}  // namespace sonde
