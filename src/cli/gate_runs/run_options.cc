#include "cli/gate_runs/run_options.h"

#include <algorithm>

#include "base/system/processor_set.h"
#include "base/system/user_state.h"
#include "base/text/decimal.h"
#include "base/text/duration.h"
#include "cli/output.h"
#include "cli/runs/decide_and_write.h"
#include "cli/words/other_words.h"
#include "gate/verdict.h"

namespace sonde {

void add_run_options(CommandLine& command, RunOptions& options) {
  command
      .positional("COMMAND", options.words,
                  "after --: the command of one run. Either a profiler, with {profile} in place of its output name "
                  "without extension, or any program, whose wall time is measured")
      .converted(unguarded_word);
  command
      .option("--warm-up", options.warm_up, "N|auto",
              "number of warm-up runs; auto: until wall times no longer fall or rise, 3 to 10")
      .shows_default();
  command.option("--profile", options.profile_pattern, "PATTERN",
                 "shell pattern of the file that each run writes, for commands whose output name is fixed");
  command.option("--keep", options.keep, "FOLDER", "new folder for profiles, records and the output of the runs");
  command.option("--timeout", options.time_limit, "TIME",
                 "time limit of a run, such as 10m or 1h; a longer run counts as failed");
  command.option("--retries", options.retries, "N", "number of retries of a run that fails")
      .not_negative()
      .shows_default();
  command
      .option("--most-throttled", options.most_throttled, "N",
              "maximum number of runs repeated because the GPU throttled (heat or power); 0 accepts throttled runs")
      .not_negative()
      .shows_default();
  command
      .option("--most-disturbed", options.most_disturbed, "N",
              "maximum number of runs repeated because other processes used the processors (10 % or more) or began or "
              "ended work on the GPUs")
      .not_negative()
      .shows_default();
  command.option("--lock-clocks", options.lock_clocks, "base|MHZ",
                 "lock the SM clock of the visible GPUs during the runs (NVML; needs root); unlocked afterwards");
  command.option("--cpus", options.processors, "LIST", "run on these processors only, such as 2-5,8 (as taskset -c)");
  command.flag("--show-output", options.show_output, "show the output of the runs");
}

Result<std::optional<int64_t>> duration_option(std::string_view option, const std::string& text) {
  if (text.empty()) return std::optional<int64_t>();
  const auto duration = parse_duration(text);
  if (!duration) return fail("{}: {}", option, duration.error().message);
  if (*duration <= 0) return fail("{}: '{}' is not a time above 0", option, text);
  return std::optional(*duration);
}

namespace {

Result<std::optional<ClockChoice>> chosen_clocks(const RunOptions& options) {
  if (options.lock_clocks.empty()) return std::optional<ClockChoice>();
  return parse_clock_choice(options.lock_clocks);
}

Result<ProcessorSet> chosen_processors(const RunOptions& options) {
  if (options.processors.empty()) return ProcessorSet();
  auto set = parse_processors(options.processors);
  if (!set) return fail("--cpus: {}", set.error().message);
  const ProcessorSet allowed = allowed_processors();
  for (const size_t processor : *set) {
    if (std::ranges::binary_search(allowed, processor)) continue;
    return fail("--cpus: this program may not run on processor {}, only on {}", processor, processors_text(allowed));
  }
  return set;
}

}  // namespace

Result<RunMakerOptions> maker_options(const RunOptions& options) {
  if (options.words.empty()) return fail("no command given; it follows --, for example: -- python train.py");
  if (!options.profile_pattern.empty() && has_profile_place(options.words)) {
    return fail("--profile and {} in the command both name the profile; give one", kProfilePlace);
  }
  const auto limit = duration_option("--timeout", options.time_limit);
  if (!limit) return std::unexpected(limit.error());
  const auto clocks = chosen_clocks(options);
  if (!clocks) return std::unexpected(clocks.error());
  const auto processors = chosen_processors(options);
  if (!processors) return std::unexpected(processors.error());
  return RunMakerOptions{.profile_pattern = options.profile_pattern,
                         .time_limit_ns = *limit,
                         .retries = options.retries,
                         .most_throttled = options.most_throttled,
                         .most_disturbed = options.most_disturbed,
                         .processors = *processors,
                         .lock_clocks = *clocks,
                         .show_output = options.show_output};
}

Result<std::optional<int>> warm_up_runs(const RunOptions& options) {
  if (options.warm_up == "auto") return std::optional<int>();
  const auto runs = integer_of<int>(options.warm_up);
  if (!runs || *runs < 0) return fail("--warm-up: '{}' is neither a number of runs nor 'auto'", options.warm_up);
  return runs;
}

LockedClocks clocks_for(RunMakerOptions& maker) {
  const std::string folder = user_state_folder() + "/locked_clocks";
  for (const std::string& sentence : unlock_left_clocks(folder)) complain(sentence);
  maker.clocks = "not locked";
  if (!maker.lock_clocks) return {};
  auto clocks = LockedClocks::lock(*maker.lock_clocks, folder);
  if (!clocks) {
    complain(fmt::format("the clocks are not locked: {}", clocks.error().message));
    return {};
  }
  maker.clocks = clock_text(*maker.lock_clocks);
  return std::move(*clocks);
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
