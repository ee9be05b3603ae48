// Reads any bytes as a configuration. Each mistake has a place, a sentence on one line and the allowed values. A
// configuration without mistakes reads back unchanged. Then uses the same bytes as the value of each key in turn: the
// key accepts them, or the error names it.

#include <cstdint>
#include <cstdlib>

#include "config/change.h"
#include "config/keys.h"
#include "config/read.h"

static void change_keys(const std::string& json) {
  using namespace sonde::config;
  for (const Key& key : all_keys()) {
    Config config;
    const auto done = apply_change(key, json, "/etc/sonde", config);
    if (!done && !done.error().message.starts_with(key.name)) std::abort();
    if (!done && value_json(key, config) != value_json(key, Config())) std::abort();
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sonde::config;
  change_keys({reinterpret_cast<const char*>(data), size});
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
