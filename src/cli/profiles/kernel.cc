#include <utility>

#include "analyses/kernel_table/kernel_columns.h"
#include "analyses/kernels/kernel_choice.h"
#include "analyses/kernels/launch_profile.h"
#include "cli/json_flag.h"
#include "cli/output.h"
#include "cli/profile_options.h"
#include "metrics/sections.h"
#include "report/kernel_pages/kernel_page.h"
#include "report/text/log_text.h"

namespace sonde {
namespace kernel_cli {
namespace {

struct Options {
  ProfileOptions profile;
  std::string import;
  std::string kernel;
  std::string page = "details";
  std::string format = "text";
  bool csv = false;
  std::vector<std::string> sections;
  bool list_sections = false;
  PrintDetails details = PrintDetails::header;
  PrintUnits units = PrintUnits::automatic;
  PrintInstances instances = PrintInstances::none;
  std::string output;
  bool force_overwrite = false;
  bool quiet = false;
};

int list_sections() {
  fmt::print("{:<46} {:<28} {}\n", "Identifier", "Sets", "Display Name");
  for (const SectionInfo& section : known_sections()) {
    fmt::print("{:<46} {:<28} {}\n", section.id, section.sets, section.title);
  }
  return kDone;
}

Status check_sections(const Options& options) {
  for (const std::string& id : options.sections) {
    if (id == kTimelineSection) continue;
    const auto known = section_by_id(id);
    if (!known) return std::unexpected(known.error());
  }
  return {};
}

Error no_kernel(const Trace& trace) {
  const std::string file = trace.ranks.empty() ? std::string("the profile") : trace.ranks.front().file;
  return {fmt::format(
      "{} contains no kernel; sonde record --set full or ncu --set full, with -o KERNELS PROGRAM, measures kernels",
      file)};
}

Result<KernelPage> page_of(const Options& options, const Trace& trace) {
  const auto choice = parse_kernel_choice(options.kernel);
  if (!choice) return std::unexpected(choice.error());
  if (trace.kernel_profiles.empty()) return std::unexpected(no_kernel(trace));
  KernelPage page{.trace = &trace,
                  .kernels = {},
                  .sections = options.sections,
                  .units = options.units,
                  .details = options.details,
                  .instances = options.instances,
                  .render = options.output.empty() ? terminal_options() : RenderOptions()};
  page.render.absent = "-";
  for (const KernelLaunch& launch : kernel_launches(trace)) {
    if ((*choice)(launch)) page.kernels.push_back(launch.profile);
  }
  if (page.kernels.empty()) {
    return fail("no kernel has the ID '{0}' or a name that matches '{0}'; sonde kernels lists them", options.kernel);
  }
  return page;
}

Status run(const Options& options) {
  const auto format = find_kernel_page(options.page, options.csv ? "csv" : options.format);
  if (!format) return std::unexpected(format.error());
  SONDE_TRY(check_sections(options));
  const auto trace = load(options.profile, kernel_column_fields() | Fields{Field::source_lines, Field::capture});
  if (!trace) return std::unexpected(trace.error());
  const bool is_timeline = trace->kernel_profiles.empty();
  const Trace of_timeline = is_timeline ? launch_profiles_of(*trace) : Trace();
  const auto page = page_of(options, is_timeline ? of_timeline : *trace);
  if (!page) return std::unexpected(page.error());
  auto output = options.output.empty() ? Output() : Output::to_file(options.output, options.force_overwrite);
  if (!output) return std::unexpected(output.error());
  (*format)->write(*page, output->sink());
  if (is_timeline && (*format)->format == "csv" && !options.quiet) {
    note(
        "note: a timeline has no counters; sonde record --set full or ncu --set full, with -o KERNELS PROGRAM, "
        "measures them\n");
  }
  if (!options.quiet) note(log_text(trace->log));
  return output->close();
}

/// An option with named values, which are shown in their order.
template <typename Enum>
void add_choice(CommandLine& command, const std::string& name, std::string_view value_name, Enum& into,
                const std::vector<std::pair<std::string, Enum>>& choices, const std::string& description) {
  std::vector<std::string> names;
  for (const auto& [choice, value] : choices) names.push_back(choice);
  const auto take = [&into, choices](const std::string& text) {
    for (const auto& [choice, value] : choices) {
      if (choice == text) into = value;
    }
  };
  command.option_taking(name, take, value_name, description).one_of(std::move(names));
}

void add_page_options(CommandLine& command, Options& options) {
  command.option("-k,--kernel,--kernel-name", options.kernel, "ID|REGEX",
                 "show launches with this ID, or with a name that matches");
  command
      .option("--page", options.page, "PAGE",
              "page to show: details, raw (all metrics), source (by instruction) or session")
      .shows_default();
  command.option("-f,--format", options.format, "FORMAT", "output format: text, csv or json").shows_default();
  command.flag("--csv", options.csv, "same as --format csv");
  add_json_flag(command, options.format);
  command.option("--section", options.sections, "SECTION", "show this section only; repeatable").repeatable();
  command.flag("--list-sections", options.list_sections,
               "list the sections that ncu can collect, and the sets that contain them");
  add_choice(command, "--print-details", "PART", options.details,
             {{"header", PrintDetails::header}, {"body", PrintDetails::body}, {"all", PrintDetails::all}},
             "metrics of a section to show: header, body or all");
  add_choice(command, "--print-units", "UNITS", options.units,
             {{"auto", PrintUnits::automatic}, {"base", PrintUnits::base}},
             "auto scales values to readable units, base shows them as measured");
  add_choice(command, "--print-metric-instances", "PART", options.instances,
             {{"none", PrintInstances::none}, {"values", PrintInstances::values}, {"details", PrintInstances::details}},
             "instances of metrics to show: none, values, or details with their keys");
  command.option("-o,--output", options.output, "FILE", "file to write");
  command.flag("--force-overwrite", options.force_overwrite, "replace an output file that exists");
  command.flag("-q,--quiet", options.quiet, "do not print the import log");
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  add_profile_options(command, options->profile);
  command.option("-i,--import", options->import, "FILE", "report to read; same as FILE (option of ncu)");
  add_page_options(command, *options);
  command.runs([options] {
    if (options->list_sections) return list_sections();
    if (!options->import.empty()) options->profile.files.push_back(options->import);
    return finish(options->profile, [&] { return run(*options); });
  });
}

}  // namespace
}  // namespace kernel_cli

extern const Command kernel_command;
const Command kernel_command{
    "kernel",
    "Show kernels as `ncu --page details` does, with rooflines and hot spots; for a timeline launch and occupancy",
    "sonde kernel kernels.ncu-rep --kernel gemm", kernel_cli::set_up, CommandGroup::explain};

}  // namespace sonde
