#pragma once

#include "api/api.h"

namespace sonde::api {

/// Changes the open incident of the path by `change`, a member of Monitor, and answers with what it is then; 404 where
/// there is none, 409 where it is over.
[[nodiscard]] Response change_incident(const Call& call, bool (monitor::Monitor::*change)(int64_t, const std::string&));

}  // namespace sonde::api
