#pragma once

#include <string>

#include "base/error.h"
#include "importers/probe.h"

namespace sonde {

/// Names the format of a file that no importer reads, and what to do to get a profile out of it.
[[nodiscard]] Error not_a_profile(const Probe& probe);

/// Of a SQLite database that SQLite cannot read, for the reason in `error`.
[[nodiscard]] Error unreadable_database(const std::string& path, const Error& error);

}  // namespace sonde
