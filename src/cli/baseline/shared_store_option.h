#pragma once

#include <string>
#include "cli/options.h"

namespace sonde {

/// --store DIR, else SONDE_BASELINE, else .sonde/baseline.
void add_store_option(CommandLine& command, std::string& store);

/// Now, in seconds since 1970.
[[nodiscard]] int64_t now_s();

}  // namespace sonde
