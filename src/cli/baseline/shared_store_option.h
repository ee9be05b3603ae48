#pragma once

#include <string>

#include <CLI/App.hpp>

namespace sonde {

/// --store DIR, else SONDE_BASELINE, else .sonde/baseline.
void add_store_option(CLI::App& command, std::string& store);

/// Now, in seconds since 1970.
[[nodiscard]] int64_t now_s();

}  // namespace sonde
