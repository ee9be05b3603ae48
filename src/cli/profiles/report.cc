#include <unistd.h>

#include <array>
#include <deque>
#include <filesystem>

#include "analyses/replay/recording_cost.h"
#include "cli/json_flag.h"
#include "cli/output.h"
#include "cli/profile_options.h"
#include "report/tables/quantity.h"
#include "report/tables/report_format.h"
#include "report/text/log_text.h"

namespace sonde {
namespace report_cli {
namespace {

struct Options {
  ProfileOptions profile;
  std::vector<std::string> base;
  std::vector<std::string> changed;
  std::string title;
  bool exact_names = false;
  std::string format;
  std::string output;
  bool force_overwrite = false;
};

/// Profiles that were read, and what was worked out of them. Neither moves once it is there.
struct Side {
  JoinedProfiles profiles;
  std::optional<Trace> without = {};  ///< the timeline without what recording cost
  std::optional<ReportSource> source = {};
};

Status check_files(const Options& options) {
  if (options.base.empty() != options.changed.empty()) {
    return fail("{} is missing; --base FILE --new FILE compares two profiles",
                options.base.empty() ? "--base" : "--new");
  }
  if (options.base.empty() == options.profile.files.empty()) {
    return options.base.empty() ? fail("FILE is missing; name a profile, or two with --base and --new")
                                : fail("give either FILE, or --base and --new, not both");
  }
  return {};
}

Result<const ReportFormat*> format_of(const Options& options) {
  return options.format.empty() ? &report_format_of_file(options.output) : find_report_format(options.format);
}

Status check_output(const Options& options, const ReportFormat& format) {
  if (options.output.empty() && !format.shown_on_terminal && isatty(STDOUT_FILENO) != 0) {
    return fail("an HTML page cannot be shown on a terminal; write it to a file with -o report{}", format.ending);
  }
  return {};
}

/// Where it is known what recording cost.
Result<std::optional<RunWithoutRecorder>> without_recorder(const ProfileOptions& chosen, Side& side) {
  const auto step_ns = true_step_ns(chosen);
  if (!step_ns) return std::unexpected(step_ns.error());
  if (!has_recording_cost(side.profiles.timeline)) return std::nullopt;
  Trace& trace = side.without.emplace(side.profiles.timeline.copy());
  auto recorder = take_out_recorder(trace, *step_ns);
  if (!recorder) return std::nullopt;
  std::optional<KernelJoin> join;
  if (side.profiles.reports) join = join_kernels(trace, *side.profiles.reports);
  return RunWithoutRecorder{trace, std::move(join), std::move(*recorder)};
}

Status load_side(const Options& options, const std::vector<std::string>& files, std::string label,
                 const ReportFormat& format, std::deque<Side>& sides) {
  ProfileOptions chosen = options.profile;
  chosen.files = files;
  auto profiles = load_joined(chosen, report_fields());
  if (!profiles) return std::unexpected(profiles.error());
  Side& side = sides.emplace_back(Side{.profiles = std::move(*profiles)});
  const Trace& timeline = side.profiles.timeline;
  std::optional<KernelJoin> join;
  if (side.profiles.reports) join = join_kernels(timeline, *side.profiles.reports);
  if (label.empty()) label = timeline.ranks.front().file;
  auto without = without_recorder(chosen, side);
  if (!without) return std::unexpected(without.error());
  ReportParts parts = format.parts;
  parts.exact_names = options.exact_names;
  side.source.emplace(std::move(label), timeline, std::move(join), parts, std::move(*without));
  return {};
}

Result<std::deque<Side>> load_sides(const Options& options, const ReportFormat& format) {
  std::deque<Side> sides;
  if (options.base.empty()) {
    SONDE_TRY(load_side(options, options.profile.files, "", format, sides));
  } else {
    SONDE_TRY(load_side(options, options.base, "base", format, sides));
    SONDE_TRY(load_side(options, options.changed, "new", format, sides));
  }
  return sides;
}

std::string title_of(const Options& options, const std::deque<Side>& sides) {
  if (!options.title.empty()) return options.title;
  const auto file = [](const Side& side) { return side.profiles.timeline.ranks.front().file; };
  return sides.size() == 1 ? file(sides[0]) : fmt::format("{} against {}", file(sides[1]), file(sides[0]));
}

/// "report.html: 3.20 MB, 512,345 events, all in detail; open it in a browser"
void say_written(const Options& options, const std::string& shows) {
  std::error_code none;
  const auto bytes = std::filesystem::file_size(options.output, none);
  fmt::print("{}: {}, {}\n", options.output, bytes_text(static_cast<double>(bytes)), shows);
}

Status run(const Options& options, const ReportFormat& format) {
  auto sides = load_sides(options, format);
  if (!sides) return std::unexpected(sides.error());
  std::vector<ReportSource*> sources;
  for (Side& side : *sides) sources.push_back(&*side.source);
  auto output = options.output.empty() ? Output() : Output::to_file(options.output, options.force_overwrite);
  if (!output) return std::unexpected(output.error());
  const std::string shows = format.write(title_of(options, *sides), sources, output->sink());
  SONDE_TRY(output->close());
  if (!options.output.empty()) say_written(options, shows);
  for (const Side& side : *sides) {
    note(fmt::format("{}{}", side.profiles.reports ? log_text(side.profiles.reports->log) : "",
                     log_text(side.profiles.timeline.log)));
  }
  return {};
}

int usage_error(const Error& error) {
  report_error(error);
  return kUsage;
}

int run_checked(const Options& options) {
  if (const Status files = check_files(options); !files) return usage_error(files.error());
  const auto format = format_of(options);
  if (!format) return usage_error(format.error());
  if (const Status output = check_output(options, **format); !output) return usage_error(output.error());
  const Status done = run(options, **format);
  return done ? kDone : report_error(done.error());
}

std::string formats_help() {
  std::string text = "output format (default: by the ending of the output file, else html):";
  for (const ReportFormat& format : report_formats()) {
    text += fmt::format("\n{} ({}): {}", format.name, format.ending, format.description);
  }
  return text;
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  add_profile_options(command, options->profile, kJoinedProfileHelp);
  add_step_time_option(command, options->profile);
  command.option("--base", options->base, "FILE", "with --new: profiles before the change");
  command.option("--new", options->changed, "FILE", "with --base: profiles after the change");
  command.option("--title", options->title, "TITLE", "heading of the report (default: the file's name)");
  command.flag("--exact-names", options->exact_names, "do not merge modules whose names differ only by a number");
  command.option("-f,--format", options->format, "FORMAT", formats_help());
  add_json_flag(command, options->format);
  command.option("-o,--output", options->output, "FILE", "file to write");
  command.flag("--force-overwrite", options->force_overwrite, "replace an output file that exists");
  command.runs([options] { return run_checked(*options); });
}

}  // namespace
}  // namespace report_cli

extern const Command report_command;
const Command report_command{"report", "Write the full analysis to one HTML file that works offline",
                             "sonde report run.nsys-rep -o report.html", report_cli::set_up, CommandGroup::explain};

}  // namespace sonde
