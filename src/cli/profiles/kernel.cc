#include <map>

#include "analyses/kernel_table/kernel_columns.h"
#include "analyses/kernels/kernel_choice.h"
#include "analyses/kernels/launch_profile.h"
#include "cli/output.h"
#include "cli/profile_options.h"
#include "metrics/sections.h"
#include "report/kernel_pages/kernel_page.h"
#include "report/text/log_text.h"

namespace sonde {
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
  return {
      fmt::format("{} holds no kernel; sonde record --set full or ncu --set full, with -o KERNELS PROGRAM, "
                  "measures kernels",
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
    return fail("no kernel is number '{0}' or has a name that '{0}' matches; sonde kernels lists them", options.kernel);
  }
  return page;
}

Status run(const Options& options) {
  const auto format = find_kernel_page(options.page, options.csv ? "csv" : options.format);
  if (!format) return std::unexpected(format.error());
  SONDE_TRY(check_sections(options));
  const auto trace = load(options.profile, kernel_column_fields() | Fields{Field::source_lines});
  if (!trace) return std::unexpected(trace.error());
  const bool is_timeline = trace->kernel_profiles.empty();
  const Trace of_timeline = is_timeline ? launch_profiles_of(*trace) : Trace();
  const auto page = page_of(options, is_timeline ? of_timeline : *trace);
  if (!page) return std::unexpected(page.error());
  auto output = options.output.empty() ? Output() : Output::to_file(options.output, options.force_overwrite);
  if (!output) return std::unexpected(output.error());
  (*format)->write(*page, output->sink());
  if (is_timeline && (*format)->format == "csv" && !options.quiet) {
    fmt::print(stderr,
               "note: sections of counters were not collected: a timeline has none; "
               "sonde record --set full or ncu --set full, with -o KERNELS PROGRAM, measures them\n");
  }
  if (!options.quiet) fmt::print(stderr, "{}", log_text(trace->log));
  return output->close();
}

template <typename Enum>
CLI::Option* add_choice(CLI::App& command, const std::string& name, Enum& value, std::map<std::string, Enum> choices,
                        const std::string& description) {
  return command.add_option(name, value, description)->transform(CLI::CheckedTransformer(std::move(choices)));
}

void add_page_options(CLI::App& command, Options& options) {
  command.add_option("-k,--kernel,--kernel-name", options.kernel,
                     "a launch's ID, or a regular expression for the name");
  command.add_option("--page", options.page, "details or raw (all metrics)")->capture_default_str();
  command.add_option("-f,--format", options.format, "text, csv or json")->capture_default_str();
  command.add_flag("--csv", options.csv, "the same as --format csv");
  command.add_option("--section", options.sections, "only this section; may repeat")->allow_extra_args(false);
  command.add_flag("--list-sections", options.list_sections,
                   "list the sections that ncu can collect, and in which sets");
  add_choice(command, "--print-details", options.details,
             {{"header", PrintDetails::header}, {"body", PrintDetails::body}, {"all", PrintDetails::all}},
             "which metrics of a section: header, body or all");
  add_choice(command, "--print-units", options.units, {{"auto", PrintUnits::automatic}, {"base", PrintUnits::base}},
             "auto scales values for people, base leaves them as they were measured");
  add_choice(command, "--print-metric-instances", options.instances,
             {{"none", PrintInstances::none}, {"values", PrintInstances::values}, {"details", PrintInstances::details}},
             "the parts of metrics: none, values, or details with their keys");
  command.add_option("-o,--output", options.output, "a file to write to");
  command.add_flag("--force-overwrite", options.force_overwrite, "replace an output file that exists");
  command.add_flag("-q,--quiet", options.quiet, "say nothing of what the import log holds");
}

void set_up(CLI::App& command, int& exit_code) {
  auto options = std::make_shared<Options>();
  add_profile_options(command, options->profile);
  command.add_option("-i,--import", options->import, "FILE, as ncu names it");
  add_page_options(command, *options);
  command.callback([options, &exit_code] {
    if (options->list_sections) {
      exit_code = list_sections();
      return;
    }
    if (!options->import.empty()) options->profile.files.push_back(options->import);
    exit_code = finish(options->profile, [&] { return run(*options); });
  });
}

}  // namespace

extern const Command kernel_command;
const Command kernel_command{
    "kernel",
    "Show kernels as `ncu --page details` does, with rooflines and hot spots; launch and occupancy of a "
    "timeline's",
    "sonde kernel kernels.ncu-rep --kernel gemm", set_up};

}  // namespace sonde
