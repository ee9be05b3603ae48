// What the configuration of the service is to the program, for tests and the reference:
//   dump_config check FILE...   the mistakes of each file, or "FILE: valid"
//   dump_config values FILE     the configuration in force, as JSON

#include <cstdio>
#include <string_view>

#include <fmt/format.h>

#include "config/keys.h"
#include "config/read.h"

namespace {

int check(int count, char** files) {
  for (int i = 0; i < count; ++i) {
    const auto config = sonde::config::load_config(files[i]);
    fmt::print("{}\n", config ? fmt::format("{}: valid", files[i]) : config.error().message);
  }
  return 0;
}

int values(const char* file) {
  const auto config = sonde::config::load_config(file);
  fmt::print("{}\n", config ? sonde::config::config_json(*config) : config.error().message);
  return config ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "check") return check(argc - 2, argv + 2);
  if (what == "values" && argc == 3) return values(argv[2]);
  fmt::print(stderr, "usage: dump_config check FILE... | values FILE\n");
  return 2;
}
