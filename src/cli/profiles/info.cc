#include "cli/output.h"
#include "cli/profile_options.h"
#include "report/text/info_text.h"

namespace sonde {
namespace info_cli {
namespace {

struct Options {
  ProfileOptions profile;
  InfoOptions info;
};

Status run(const Options& options) {
  const auto trace = load(options.profile, Fields::all());
  if (!trace) return std::unexpected(trace.error());
  Output output;
  output.write(info_text(*trace, options.info));
  return output.close();
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  add_profile_options(command, options->profile);
  command.flag("--private", options->info.show_private,
               "also show the environment, users, hosts, command lines and full paths in the profile");
  command.runs([options] { return finish(options->profile, [&] { return run(*options); }); });
}

}  // namespace
}  // namespace info_cli

extern const Command info_command;
const Command info_command{"info",
                           "Describe a profile: its format, what recorded it, what it contains and what is missing",
                           "sonde info run.sqlite", info_cli::set_up, CommandGroup::explain};

}  // namespace sonde
