#include "cli/tasks/submission.h"

#include <cstdlib>
#include <iostream>
#include <iterator>
#include <random>

#include "base/files/small_file.h"
#include "report/text/plain_text.h"

namespace sonde::tasks {
namespace {

constexpr size_t kMostBytes = 64UZ << 20;  // the service's own limit is lower and said by it

Result<std::string> text_from(const std::string& path) {
  if (path != "-") return read_small_file(path, kMostBytes);
  return std::string(std::istreambuf_iterator<char>(std::cin), {});
}

}  // namespace

std::string new_idempotency_key() {
  std::random_device random;  // of the kernel, on Linux
  return fmt::format("sonde-{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

Result<Json> environment_of(const std::vector<std::string>& words) {
  Json environment = Json::object();
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (name.empty())
      return fail("--env '{}' does not name a variable; use NAME=VALUE, or NAME to copy its value from here",
                  one_line(word));
    if (equals != std::string::npos) {
      environment[name] = word.substr(equals + 1);
      continue;
    }
    const char* const value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
    if (value == nullptr) return fail("--env {}: the variable is not set here; NAME=VALUE sets it", one_line(word));
    environment[name] = value;
  }
  return environment;
}

Result<Json> json_from_file(const std::string& path) {
  const auto text = text_from(path);
  if (!text) return std::unexpected(text.error());
  try {
    return Json::parse(*text);
  } catch (const Json::parse_error& error) {
    return fail("{} is not valid JSON: error at byte {}", path == "-" ? "standard input" : one_line(path), error.byte);
  }
}

Result<std::string> words_member(Connection& connection, const std::string& type) {
  if (type.empty()) return "command";
  const auto types = connection.get("/api/v1/task_types");
  if (!types) return std::unexpected(types.error());
  for (const Json& known : list_of(*types, "types")) {
    if (raw_text(known, "name") == type && raw_text(known, "runs") == "anything") return "command";
  }
  return "arguments";
}

}  // namespace sonde::tasks
