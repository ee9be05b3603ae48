#pragma once

#include <string>
#include "cli/options.h"

#include "base/error.h"

namespace sonde {

/// Which key file is meant.
struct KeyFileOptions {
  std::string keys;
  std::string config;
};
void add_key_file_options(CommandLine& command, KeyFileOptions& options);

/// The file of --keys, else sonde.server.keys_file of --config, else that of config.yaml where it is there, else what
/// the service takes without a configuration.
[[nodiscard]] Result<std::string> key_file_path(const KeyFileOptions& options);

}  // namespace sonde
