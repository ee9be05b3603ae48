#pragma once

#include "dispatch/store/connection.h"

namespace sonde::dispatch::store {

/// Makes the tables where there are none, and brings those of older versions up to date, in one transaction. The error
/// says what to do where the file is broken, of a newer version, or another program's.
[[nodiscard]] Status prepare_tables(Connection& db);

}  // namespace sonde::dispatch::store
