#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "cli/tasks/connection.h"

namespace sonde::tasks {

/// A key that nobody else uses: with it a submission whose answer was lost can be sent again.
[[nodiscard]] std::string new_idempotency_key();

/// "NAME=VALUE" words as an object; "NAME" alone takes the value that the variable has here.
[[nodiscard]] Result<Json> environment_of(const std::vector<std::string>& words);

/// A JSON document from a file, "-" for standard input.
[[nodiscard]] Result<Json> json_from_file(const std::string& path);

/// Where the words of a command line belong: "command" where the type runs anything, else "arguments". Asks the service
/// where a type is named.
[[nodiscard]] Result<std::string> words_member(Connection& connection, const std::string& type);

}  // namespace sonde::tasks
