#pragma once

#include "dispatch/store.h"
#include "dispatch/store/connection.h"

namespace sonde::dispatch::store {

/// Of one moment.
[[nodiscard]] Result<Restored> restore(Connection& db);

}  // namespace sonde::dispatch::store
