#pragma once

#include <expected>

#include "config/config.h"
#include "dispatch/engine.h"
#include "dispatch/task.h"

namespace sonde::dispatch {

/// What somebody asked for; what is absent is taken from the task's type, then from the configuration.
struct Submission {
  std::string name = {};
  std::optional<std::string> type = {};
  std::vector<std::string> command = {};  ///< only with sonde.tasks.allow_undeclared_commands, and without a type's own
  std::vector<std::string> arguments = {};              ///< only where the type allows them
  std::map<std::string, std::string> environment = {};  ///< names that the type allows; any with an undeclared command
  std::string folder = {};                              ///< only with an undeclared command
  std::optional<std::string> request = {};              ///< JSON body of an inference, for a type that asks workers
  std::optional<std::string> model = {};
  std::optional<std::string> priority = {};
  std::optional<int64_t> gpus = {};
  std::optional<int64_t> memory_bytes = {};
  std::optional<double> time_limit_s = {};
  std::optional<std::string> strategy = {};
  std::vector<int64_t> after = {};
  std::optional<int64_t> retries = {};  ///< given: failures of the program are retried too
  std::optional<bool> profile = {};
  std::string submitted_by = {};
  std::string idempotency_key = {};
};

/// The task as it will be kept. Refused where the configuration does not allow it, by name: an unknown type
/// (unknown_type), a command that is not declared (command_not_allowed), arguments or variables that are not allowed,
/// an unknown priority or strategy, and what cannot be.
[[nodiscard]] std::expected<TaskSpec, Refused> resolve(const Submission& submission, const config::Config& config);

}  // namespace sonde::dispatch
