#include "cli/profile_options.h"

#include "analyses/kernels/kernel_join.h"
#include "base/text/duration.h"
#include "cli/output.h"
#include "trace/link.h"

namespace sonde {

void add_profile_options(CommandLine& command, ProfileOptions& options, std::string_view help) {
  command.positional("FILE", options.files, std::string(help));
  const CommandOption time =
      command.option("--filter-time", options.filter_time, "START/END",
                     "only events inside [START]/[END], for example 1s/2.5s (without a unit: ns)");
  command
      .option("--filter-nvtx", options.filter_nvtx, "RANGE",
              "only events during the NVTX range NAME[@DOMAIN][/INDEX], in its process")
      .excludes(time);
}

void add_step_time_option(CommandLine& command, ProfileOptions& options) {
  command.option("--step-time", options.step_time, "TIME",
                 "time of a step as measured without a profiler, such as 13.3ms: the profiler's own cost is set to "
                 "match it (default: estimated from the profile)");
}

Result<std::optional<int64_t>> true_step_ns(const ProfileOptions& options) {
  if (options.step_time.empty()) return std::nullopt;
  const auto step = parse_duration(options.step_time);
  if (!step) return fail("--step-time: {}", step.error().message);
  if (*step <= 0) return fail("--step-time: '{}' is not above 0", options.step_time);
  return *step;
}

namespace {

Result<Window> window_for(const ProfileOptions& options, const Trace& trace) {
  if (!options.filter_time.empty()) return parse_window(options.filter_time);
  const auto selector = parse_range_selector(options.filter_nvtx);
  if (!selector) return std::unexpected(selector.error());
  return window_of(trace, *selector);
}

}  // namespace

int finish(const ProfileOptions& options, const std::function<Status()>& work) {
  if (options.files.empty()) {
    report_error({"FILE is missing; name a profile"});
    return kUsage;
  }
  const Status done = work();
  return done ? kDone : report_error(done.error());
}

Result<Trace> load(const ProfileOptions& options, Fields fields) {
  const auto progress = terminal_progress();
  if (!options.filter_nvtx.empty()) fields |= {Field::ranges, Field::streams};
  auto trace = read_run(options.files, {fields, progress.get()});
  if (!trace) return trace;
  if (!options.filter_time.empty() || !options.filter_nvtx.empty()) {
    const auto window = window_for(options, *trace);
    if (!window) return std::unexpected(window.error());
    keep_window(*trace, *window);
  }
  link(*trace);
  progress->end();
  return trace;
}

Result<JoinedProfiles> load_joined(const ProfileOptions& options, const Fields& fields) {
  const auto files = sort_files(options.files);
  if (!files) return std::unexpected(files.error());
  const bool joined = !files->timelines.empty() && !files->kernel_reports.empty();
  ProfileOptions chosen = options;
  if (joined) chosen.files = files->timelines;
  auto timeline = load(chosen, joined ? fields | kernel_join_fields() : fields);
  if (!timeline) return std::unexpected(timeline.error());
  JoinedProfiles profiles{.timeline = std::move(*timeline), .reports = std::nullopt};
  if (!joined) return profiles;
  profiles.timeline.kernel_profiles.clear();  // a file that tells of both is among the reports too
  const auto progress = terminal_progress();
  auto reports = import_run(files->kernel_reports, {Fields{Field::kernel_profiles}, progress.get()});
  progress->end();
  if (!reports) return std::unexpected(reports.error());
  profiles.reports = std::move(*reports);
  return profiles;
}

}  // namespace sonde
