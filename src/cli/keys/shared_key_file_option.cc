#include "cli/keys/shared_key_file_option.h"

#include <filesystem>

#include "config/read.h"

namespace sonde {
namespace {

constexpr const char* kUsualConfig = "config.yaml";

}  // namespace

void add_key_file_options(CommandLine& command, KeyFileOptions& options) {
  const CommandOption keys = command.option("--keys", options.keys, "FILE", "key file");
  command
      .option("--config", options.config, "FILE",
              "configuration file of the service, which names the key file (default: config.yaml)")
      .excludes(keys);
}

Result<std::string> key_file_path(const KeyFileOptions& options) {
  if (!options.keys.empty()) return options.keys;
  std::error_code error;
  if (options.config.empty() && !std::filesystem::exists(kUsualConfig, error)) return config::Server().keys_file;
  const auto config = config::load_config(options.config.empty() ? kUsualConfig : options.config);
  if (!config) return std::unexpected(config.error());
  return config->sonde.server.keys_file;
}

}  // namespace sonde
