#include <memory>

#include <fmt/format.h>
#include <CLI/Config.hpp>

#include "api/keys/keys.h"
#include "cli/command.h"
#include "cli/keys/shared_key_file_option.h"
#include "cli/output.h"

namespace sonde {
namespace {

struct Options {
  KeyFileOptions file;
  std::string key;
};

Status revoke(const Options& options) {
  const auto file = key_file_path(options.file);
  if (!file) return std::unexpected(file.error());
  SONDE_TRY(api::KeyFile::at(*file)->revoke(options.key));
  fmt::print(stderr, "Key '{}' is revoked; a running service refuses it from now on.\n", options.key);
  return {};
}

void set_up(CLI::App& command, int& exit_code) {
  auto options = std::make_shared<Options>();
  command.add_option("key", options->key, "its id or its name, as `sonde keys list` shows them")->required();
  add_key_file_options(command, options->file);
  command.callback([options, &exit_code] {
    const Status done = revoke(*options);
    exit_code = done ? kDone : report_error(done.error());
  });
}

}  // namespace

extern const Command keys_revoke_command;
const Command keys_revoke_command{"revoke", "Make a key invalid, for ever", "sonde keys revoke grafana", set_up};

}  // namespace sonde
