#include <memory>

#include <fmt/format.h>

#include "api/keys/keys.h"
#include "cli/command.h"
#include "cli/keys/shared_key_file_option.h"
#include "cli/output.h"

namespace sonde {
namespace keys_revoke_cli {
namespace {

struct Options {
  KeyFileOptions file;
  std::string key;
};

Status revoke(const Options& options) {
  const auto file = key_file_path(options.file);
  if (!file) return std::unexpected(file.error());
  SONDE_TRY(api::KeyFile::at(*file)->revoke(options.key));
  fmt::print(stderr, "Key '{}' is revoked; a running service now refuses it.\n", options.key);
  return {};
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  command.positional("KEY", options->key, "ID or name of the key (sonde keys list)").required();
  add_key_file_options(command, options->file);
  command.runs([options] {
    const Status done = revoke(*options);
    return done ? kDone : report_error(done.error());
  });
}

}  // namespace
}  // namespace keys_revoke_cli

extern const Command keys_revoke_command;
const Command keys_revoke_command{"revoke", "Revoke a key permanently", "sonde keys revoke grafana",
                                  keys_revoke_cli::set_up};

}  // namespace sonde
