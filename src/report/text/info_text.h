#pragma once

#include <string>

#include "trace/trace.h"

namespace sonde {

struct InfoOptions {
  bool show_private = false;  ///< environment, users, hosts, command lines, whole paths
};

/// What a profile is, what recorded it, what it holds and what is missing from it.
[[nodiscard]] std::string info_text(const Trace& trace, const InfoOptions& options);

}  // namespace sonde
