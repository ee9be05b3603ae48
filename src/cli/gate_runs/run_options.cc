#include "cli/gate_runs/run_options.h"

#include <algorithm>

#include "base/text/duration.h"
#include "cli/runs/decide_and_write.h"
#include "cli/words/other_words.h"
#include "gate/verdict.h"

namespace sonde {

void add_run_options(CommandLine& command, RunOptions& options) {
  command
      .positional("COMMAND", options.words,
                  "after --, the command that one run is: a profiler with {profile} where it takes the name of its "
                  "output, without ending; or any program, of which the wall time is measured")
      .converted(unguarded_word);
  command.option("--warm-up", options.warm_up, "N", "runs before the first that counts").not_negative().shows_default();
  command.option("--profile", options.profile_pattern, "PATTERN",
                 "shell pattern of the file that each run writes, for commands that cannot be told where to");
  command.option("--keep", options.keep, "FOLDER",
                 "a new folder that keeps profiles, records and what the runs printed");
  command.option("--timeout", options.time_limit, "TIME", "a run that takes longer has failed (10m, 1h)");
  command.option("--retries", options.retries, "N", "make a run that fails again so often")
      .not_negative()
      .shows_default();
  command
      .option("--most-throttled", options.most_throttled, "N",
              "make so many runs again in all where the GPU slowed down for heat or power; 0 takes them as they are")
      .not_negative()
      .shows_default();
  command.flag("--show-output", options.show_output, "show what the runs print");
}

Result<std::optional<int64_t>> duration_option(std::string_view option, const std::string& text) {
  if (text.empty()) return std::optional<int64_t>();
  const auto duration = parse_duration(text);
  if (!duration) return fail("{}: {}", option, duration.error().message);
  if (*duration <= 0) return fail("{}: '{}' is no time above 0", option, text);
  return std::optional(*duration);
}

Result<RunMakerOptions> maker_options(const RunOptions& options) {
  if (options.words.empty()) return fail("there is no command to run; it stands after --, as in -- python train.py");
  if (!options.profile_pattern.empty() && has_profile_place(options.words)) {
    return fail("--profile says where the profile is, and so does {} in the command; give one of them", kProfilePlace);
  }
  const auto limit = duration_option("--timeout", options.time_limit);
  if (!limit) return std::unexpected(limit.error());
  return RunMakerOptions{.profile_pattern = options.profile_pattern,
                         .time_limit_ns = *limit,
                         .retries = options.retries,
                         .most_throttled = options.most_throttled,
                         .show_output = options.show_output};
}

Result<RunFolder> folder_for(const RunOptions& options) {
  return options.keep.empty() ? RunFolder::temporary() : RunFolder::kept(options.keep);
}

int gate_usage_error(const Error& error, std::string_view command) {
  fmt::print(stderr, "sonde: {}\nTry 'sonde {} --help'.\n", error.message, command);
  return gate::kUsageExit;
}

int run_error(const Error& error, SubprocessRunner& runner) {
  if (!runner.interrupted()) return gate_error(error);
  fmt::print(stderr, "sonde: interrupted\n");
  return kInterruptedExit;
}

}  // namespace sonde
