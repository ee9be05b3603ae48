#include <regex>

#include "analyses/kernels/kernel_join.h"
#include "analyses/measured/launch_timeline.h"
#include "analyses/measured/measured_launch.h"
#include "analyses/modules/module_kernel_columns.h"
#include "analyses/modules/module_table.h"
#include "analyses/steps/warm_up.h"
#include "cli/json_flag.h"
#include "cli/output.h"
#include "cli/profile_options.h"
#include "report/tables/table_format.h"
#include "report/text/gaps_text.h"
#include "report/text/join_text.h"
#include "report/text/log_text.h"

namespace sonde {
namespace modules_cli {
namespace {

struct Options {
  ProfileOptions profile;
  uint32_t depth = 0;
  std::vector<std::string> domains;
  std::string name;
  bool exact_names = false;
  int64_t items_per_step = 0;
  bool by_rank = false;
  double min_percent = 0.1;
  std::string format;
  std::string time_unit = "nanoseconds";
  std::string output;
  bool force_overwrite = false;
  bool quiet = false;
};

Result<std::optional<std::regex>> name_pattern(const std::string& text) {
  if (text.empty()) return std::nullopt;
  try {
    return std::regex(text, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& e) {
    return fail("--name '{}' is not a regular expression: {}", text, e.what());
  }
}

/// The domains that were named, all but Python's call stacks where none was.
Result<std::vector<bool>> chosen_domains(const Trace& trace, const std::vector<std::string>& names) {
  std::vector<bool> chosen(trace.domains.size(), false);
  for (size_t d = 0; d < chosen.size(); ++d) {
    chosen[d] = names.empty() && trace.domains[d].kind != DomainKind::python;
  }
  for (const std::string& name : names) {
    const auto found = std::ranges::find_if(trace.domains, [&](const Domain& d) { return trace.name(d.name) == name; });
    if (found == trace.domains.end()) {
      std::string known;
      for (const Domain& d : trace.domains)
        known += fmt::format("{}'{}'", known.empty() ? "" : ", ", trace.name(d.name));
      return fail("unknown domain '{}'; the domains of this profile: {}", name, known);
    }
    chosen[static_cast<size_t>(found - trace.domains.begin())] = true;
  }
  return chosen;
}

Result<ModuleChoice> choice_of(const Options& options, const Trace& trace) {
  auto domains = chosen_domains(trace, options.domains);
  if (!domains) return std::unexpected(domains.error());
  auto pattern = name_pattern(options.name);
  if (!pattern) return std::unexpected(pattern.error());
  // A name is matched once, not for each of its ranges.
  std::vector<bool> named(trace.names.size(), true);
  if (*pattern) {
    for (const NameId name : trace.ranges.name) named[name] = false;
    for (const NameId name : trace.ranges.name) {
      if (named[name]) continue;
      const std::string_view text = trace.name(name);
      named[name] = std::regex_search(text.begin(), text.end(), **pattern);
    }
  }
  ModuleChoice choice;
  choice.chosen = [&trace, domains = std::move(*domains), named = std::move(named)](Row row) {
    return domains[trace.ranges.domain[row]] && named[trace.ranges.name[row]];
  };
  if (options.depth > 0) choice.depth = options.depth;
  choice.exact_names = options.exact_names;
  return choice;
}

/// Absent where no range repeats as steps do.
std::optional<ModuleSteps> steps_of(const Options& options, const Trace& trace) {
  auto found = find_warm_up(trace);
  if (!found || found->steady.empty()) return std::nullopt;
  return ModuleSteps{std::move(*found), options.items_per_step};
}

/// The table, and what is said below it.
struct ModuleReport {
  Table table;
  std::string notes;
};

ModuleReport with_notes(Table table, std::string_view of_kernels) {
  std::string notes = fmt::format("{}\n{}", table.note, of_kernels);
  return {std::move(table), std::move(notes)};
}

/// A run without ranges has one row with kernel reports: what was matched is worth knowing.
Result<ModuleReport> report_of(const Options& options, bool indented, const JoinedProfiles& profiles) {
  const Trace& trace = profiles.timeline;
  const auto choice = choice_of(options, trace);
  if (!choice) return std::unexpected(choice.error());
  const ModuleTree tree = module_tree(trace, *choice);
  if (tree.modules.empty() && !profiles.reports) {
    return fail(
        "{} contains no range that is a module; sonde record -t cuda,nvtx, nsys profile or torch.profiler records "
        "ranges",
        trace.ranks.front().file);
  }
  ModuleTableOptions shown{options.min_percent, indented, steps_of(options, trace), options.by_rank};
  if (!profiles.reports) return with_notes(module_table(trace, tree, shown), {});
  const KernelJoin join = join_kernels(trace, *profiles.reports);
  const ModuleKernels kernels = module_kernels(tree, join);
  shown.kernels = &kernels;
  return with_notes(module_table(trace, tree, shown), join_text(join) + transfer_text(kernels) +
                                                          gaps_text(module_kernel_gaps(join, kernels)) +
                                                          log_text(profiles.reports->log));
}

/// A kernel report alone: its launches in the ranges that they were in.
Result<JoinedProfiles> load_profiles(const Options& options) {
  auto profiles = load_joined(options.profile, kModuleFields | Fields{Field::kernel_profiles});
  if (!profiles || !is_kernel_report(profiles->timeline) || !has_ranges(profiles->timeline)) return profiles;
  profiles->reports = std::move(profiles->timeline);
  profiles->timeline = timeline_of_launches(*profiles->reports);
  return profiles;
}

Status run(const Options& options) {
  const auto unit = find_time_unit(options.time_unit);
  if (!unit) return std::unexpected(unit.error());
  const auto format = find_table_format(!options.format.empty()  ? options.format
                                        : options.output.empty() ? "column"
                                                                 : "csv");
  if (!format) return std::unexpected(format.error());
  const auto profiles = load_profiles(options);
  if (!profiles) return std::unexpected(profiles.error());
  const auto report = report_of(options, (*format)->for_people, *profiles);
  if (!report) return std::unexpected(report.error());
  auto output = options.output.empty() ? Output() : Output::to_file(options.output, options.force_overwrite);
  if (!output) return std::unexpected(output.error());
  RenderOptions render = options.output.empty() ? terminal_options() : RenderOptions();
  render.time_unit = *unit;
  render.absent = "-";
  (*format)->render(report->table, render, output->sink());
  if (!options.quiet) note(fmt::format("{}{}", report->notes, log_text(profiles->timeline.log)));
  return output->close();
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  add_profile_options(command, options->profile, kJoinedProfileHelp);
  command.option("--depth", options->depth, "N", "levels to show; deeper levels are added to the last one")
      .within(1, 1'000'000);
  command.option("--domain", options->domains, "LIST", "domains whose ranges are modules, separated by commas").list();
  command.option("--name", options->name, "NAME", "regular expression; only ranges with a matching name are modules");
  command.flag("--exact-names", options->exact_names, "do not merge names that differ only by a number");
  command.option("--items-per-step", options->items_per_step, "N", "samples or tokens per step; adds values per item")
      .within(1, 1'000'000'000);
  command.flag("--by-rank", options->by_rank, "show the device time of each rank, and the mean, minimum and maximum");
  command
      .option("--min-percent", options->min_percent, "PERCENT",
              "put modules with a smaller share of the device time into one row")
      .shows_default();
  command.option("-f,--format", options->format, "FORMAT", "output format: column, csv, tsv, json or markdown");
  add_json_flag(command, options->format);
  command.option("--timeunit", options->time_unit, "UNIT", "unit of times: nsec, usec, msec or seconds")
      .shows_default();
  command.option("-o,--output", options->output, "FILE", "file to write; csv unless --format is given");
  command.flag("--force-overwrite", options->force_overwrite, "replace an output file that exists");
  command.flag("-q,--quiet", options->quiet, "print the table only");
  command.runs([options] { return finish(options->profile, [&] { return run(*options); }); });
}

}  // namespace
}  // namespace modules_cli

extern const Command modules_command;
const Command modules_command{"modules", "Show which part of the model takes the time, as a tree of its ranges",
                              "sonde modules --depth 3 run.nsys-rep", modules_cli::set_up, CommandGroup::explain};

}  // namespace sonde
