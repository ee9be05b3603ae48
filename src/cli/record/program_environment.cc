#include "cli/record/program_environment.h"

#include <cstdlib>
#include <ranges>

namespace sonde::record_cli {

Result<std::vector<EnvironmentVariable>> read_environment(const std::string& text) {
  std::vector<EnvironmentVariable> variables;
  for (const auto part : text | std::views::split(',')) {
    const std::string_view variable(part);
    const size_t equals = variable.find('=');
    if (equals == 0 || equals == std::string_view::npos) {
      return fail("--env-var: '{}' is not NAME=VALUE; commas separate variables and cannot be part of a value",
                  variable);
    }
    variables.emplace_back(variable.substr(0, equals), variable.substr(equals + 1));
  }
  return variables;
}

void set_environment(const std::vector<EnvironmentVariable>& variables) {
  constexpr int kReplace = 1;
  for (const auto& [name, value] : variables) {
    setenv(name.c_str(), value.c_str(), kReplace);  // NOLINT(concurrency-mt-unsafe): there are no threads yet
  }
}

}  // namespace sonde::record_cli
