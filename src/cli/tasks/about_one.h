#pragma once

#include <functional>
#include <string>

#include "cli/tasks/connection.h"

namespace sonde::tasks {

/// A command about one task or batch: `work` with its number and a connection, which gives the exit status. What is no
/// number, or a service that cannot be named, is told and ends it before.
[[nodiscard]] int about_one(const std::string& number, const ConnectionOptions& options,
                            const std::function<int(int64_t id, Connection& connection)>& work);

}  // namespace sonde::tasks
