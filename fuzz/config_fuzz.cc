// Any bytes as a configuration: each mistake has a place, a sentence on one line and what is allowed; a configuration
// without mistakes reads back as itself.

#include <cstdint>
#include <cstdlib>

#include "config/keys.h"
#include "config/read.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sonde::config;
  const Reading reading = read_config({reinterpret_cast<const char*>(data), size}, "/etc/sonde/config.yaml");
  for (const Problem& problem : reading.problems) {
    const bool is_one_line = (problem.key + problem.message).find_first_of("\n\r\x1b") == std::string::npos;
    if (!is_one_line || problem.line < 0 || problem.message.find("allowed: ") == std::string::npos) std::abort();
  }
  if (!reading.problems.empty()) {
    if (problems_text(reading.problems, "config.yaml").empty()) std::abort();
    return 0;
  }
  const std::string values = config_json(reading.config, Secrets::shown);
  const Reading again = read_config(values, "/etc/sonde/config.yaml");
  if (!again.problems.empty() || config_json(again.config, Secrets::shown) != values) std::abort();
  return 0;
}
