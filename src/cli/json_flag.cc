#include "cli/json_flag.h"

namespace sonde {

void add_json_flag(CommandLine& command, std::string& format) {
  command.flag_taking("--json", [&format](const std::string&) { format = "json"; }, "same as --format json");
}

}  // namespace sonde
