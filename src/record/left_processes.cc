#include "record/left_processes.h"

#include <fstream>
#include <iterator>

#include <fmt/format.h>

namespace sonde::record {
namespace {

/// "PID (NAME) STATE ...", where a name may hold anything.
std::string name_if_running(uint32_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const size_t open = text.find('(');
  const size_t close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close + 2 >= text.size()) return {};
  const char state = text[close + 2];
  return state == 'Z' || state == 'X' ? std::string() : text.substr(open + 1, close - open - 1);
}

}  // namespace

std::string still_running(const std::set<uint32_t>& processes) {
  std::string found;
  for (const uint32_t process : processes) {
    const std::string name = name_if_running(process);
    if (!name.empty()) found += fmt::format("{}{} ({})", found.empty() ? "" : ", ", process, name);
  }
  return found;
}

}  // namespace sonde::record
