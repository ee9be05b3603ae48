#include <filesystem>

#include "analyses/reports/shared_stats_report.h"
#include "analyses/tables/stacked_table.h"
#include "base/files/file.h"
#include "cli/output.h"
#include "cli/profile_options.h"
#include "report/tables/table_format.h"
#include "report/text/log_text.h"

namespace sonde {
namespace stats_cli {
namespace {

struct StatsOptions {
  ProfileOptions profile;
  std::vector<std::string> reports;
  std::vector<std::string> formats;
  std::vector<std::string> outputs;
  std::string time_unit = "nanoseconds";
  bool force_overwrite = false;
  bool force_export = false;
  std::string help_reports;
  bool help_formats = false;
  bool quiet = false;
  bool by_rank = false;
};

/// One report, how it is written and where to: the three lists of options, matched by position as nsys does it.
struct Job {
  ChosenReport chosen;
  std::string specification;  ///< name and arguments as given
  std::string output;
  const TableFormat* format = nullptr;
};

/// The element at `index` of a list whose last element goes on; `otherwise` for an empty list.
std::string element(const std::vector<std::string>& list, size_t index, const std::string& otherwise) {
  return list.empty() ? otherwise : list[std::min(index, list.size() - 1)];
}

std::vector<std::string> report_names(const StatsOptions& options) {
  if (!options.reports.empty()) return options.reports;
  std::vector<std::string> names;
  for (const StatsReport& report : stats_reports()) {
    if (report.in_default_set) names.emplace_back(report.name);
  }
  return names;
}

Result<std::vector<Job>> plan(const StatsOptions& options) {
  std::vector<Job> jobs;
  for (const std::string& name : report_names(options)) {
    const auto chosen = choose_report(name);
    if (!chosen) return std::unexpected(chosen.error());
    const std::string output = element(options.outputs, jobs.size(), "-");
    std::string format = element(options.formats, jobs.size(), ".");
    if (format == ".") format = output == "-" ? "column" : "csv";
    const auto found = find_table_format(format);
    if (!found) return std::unexpected(found.error());
    jobs.push_back({*chosen, name, output, *found});
  }
  return jobs;
}

/// <base>_<report and arguments>.<ending>; the base of "." is the profile's path without its ending.
std::string file_name(const Job& job, const StatsOptions& options) {
  const std::string base = job.output == "."
                               ? std::filesystem::path(options.profile.files.front()).replace_extension().string()
                               : job.output;
  std::string report = job.specification;
  std::ranges::replace(report, ':', '_');
  return fmt::format("{}_{}.{}", base, report, job.format->file_ending);
}

Result<Output> open_output(const Job& job, const StatsOptions& options) {
  if (job.output == "-") return Output();
  if (job.output.starts_with('@')) return Output::to_command(job.output.substr(1));
  return Output::to_file(file_name(job, options), options.force_overwrite);
}

void say_skipped(const Job& job, const StatsOptions& options) {
  if (options.quiet) return;
  note(fmt::format("SKIPPED: {} does not contain {} data.\n", short_path(options.profile.files.front()),
                   job.chosen.report->data));
}

Status write_table(const Table& table, const Job& job, const StatsOptions& options, RenderOptions render, bool first) {
  auto output = open_output(job, options);
  if (!output) return std::unexpected(output.error());
  const bool console = job.output == "-";
  if (!console) render.width = 0;
  if (console && job.format->for_people) {
    output->write(fmt::format("{}** {} ({}):\n\n", first ? " " : "\n ", job.chosen.report->title, job.specification));
  } else if (console && !first) {
    output->write("\n");
  }
  job.format->render(table, render, output->sink());
  if (job.format->for_people && !table.note.empty()) output->write(fmt::format("\n{}\n", table.note));
  return output->close();
}

Fields fields_of(const std::vector<Job>& jobs) {
  Fields fields;
  for (const Job& job : jobs) fields |= job.chosen.report->fields(job.chosen.arguments);
  return fields;
}

/// Writes the tables that have rows, and says which have none.
Status write_tables(const std::vector<Job>& jobs, const std::vector<const Table*>& tables,
                    const StatsOptions& options) {
  const auto unit = find_time_unit(options.time_unit);
  if (!unit) return std::unexpected(unit.error());
  RenderOptions render = terminal_options();
  render.time_unit = *unit;
  bool first = true;
  for (size_t j = 0; j < jobs.size(); ++j) {
    if (tables[j]->rows() == 0) {
      say_skipped(jobs[j], options);
      continue;
    }
    SONDE_TRY(write_table(*tables[j], jobs[j], options, render, first));
    first = first && jobs[j].output != "-";
  }
  return {};
}

Result<std::vector<Table>> tables_of(const std::vector<Job>& jobs, const Trace& trace) {
  std::vector<Table> tables;
  for (const Job& job : jobs) {
    auto table = job.chosen.report->run(trace, job.chosen.arguments);
    if (!table) return std::unexpected(table.error());
    tables.push_back(std::move(*table));
  }
  return tables;
}

std::vector<const Table*> pointers_to(const std::vector<Table>& tables) {
  std::vector<const Table*> pointers;
  for (const Table& table : tables) pointers.push_back(&table);
  return pointers;
}

Status run_jobs(const std::vector<Job>& jobs, const StatsOptions& options) {
  const auto trace = load(options.profile, fields_of(jobs));
  if (!trace) return std::unexpected(trace.error());
  const auto tables = tables_of(jobs, *trace);
  if (!tables) return std::unexpected(tables.error());
  SONDE_TRY(write_tables(jobs, pointers_to(*tables), options));
  if (!options.quiet) note(log_text(trace->log));
  return {};
}

/// Adds what a rank's file holds, or without `position` all files, to a table for each job.
Status add_part(const std::vector<Job>& jobs, const ProfileOptions& profile, std::optional<size_t> position,
                std::vector<StackedTable>& stacks) {
  const auto trace = load(profile, fields_of(jobs));
  if (!trace) return std::unexpected(trace.error());
  const auto tables = tables_of(jobs, *trace);
  if (!tables) return std::unexpected(tables.error());
  const int rank = trace->ranks.front().rank.value_or(static_cast<int>(position.value_or(0)));
  const std::string part = position ? fmt::format("rank {}", rank) : "all";
  for (size_t j = 0; j < jobs.size(); ++j) stacks[j].add(part, (*tables)[j]);
  return {};
}

/// Each table per rank, and over all of them. One rank after the other is in memory.
Status run_jobs_by_rank(const std::vector<Job>& jobs, const StatsOptions& options) {
  const auto files = sort_files(options.profile.files);
  if (!files) return std::unexpected(files.error());
  if (files->timelines.size() < 2)
    return fail("--by-rank needs the files of several ranks, or a folder that contains them");
  std::vector<StackedTable> stacks;
  for (size_t j = 0; j < jobs.size(); ++j) stacks.emplace_back("Rank");
  for (size_t i = 0; i < files->timelines.size(); ++i) {
    ProfileOptions one = options.profile;
    one.files = {files->timelines[i]};
    SONDE_TRY(add_part(jobs, one, i, stacks));
  }
  SONDE_TRY(add_part(jobs, options.profile, std::nullopt, stacks));
  std::vector<const Table*> tables;
  for (const StackedTable& stack : stacks) tables.push_back(&stack.table());
  return write_tables(jobs, tables, options);
}

int print_help_reports(const std::string& name) {
  if (name == "all") {
    fmt::print("The following built-in reports are available:\n\n");
    for (const StatsReport& r : stats_reports()) fmt::print("  {} -- {}\n", r.usage, r.title);
    return kDone;
  }
  for (const StatsReport& r : stats_reports()) {
    if (name == "ALL" || name == r.name) fmt::print("\n{} -- {}\n\n  {}\n", r.usage, r.title, r.description);
  }
  const auto known = choose_report(name == "ALL" ? stats_reports().front().name : std::string_view(name));
  return known ? kDone : report_error(known.error());
}

int print_help_formats() {
  for (const TableFormat& format : table_formats()) fmt::print("  {:<10} {}\n", format.name, format.description);
  return kDone;
}

int run(const StatsOptions& options) {
  if (options.help_formats) return print_help_formats();
  if (!options.help_reports.empty()) return print_help_reports(options.help_reports);
  const auto jobs = plan(options);
  if (!jobs) {
    report_error(jobs.error());
    return kUsage;
  }
  return finish(options.profile,
                [&] { return options.by_rank ? run_jobs_by_rank(*jobs, options) : run_jobs(*jobs, options); });
}

void add_table_options(CommandLine& command, StatsOptions& options) {
  command
      .option("-r,--report", options.reports, "LIST",
              "reports to print, as NAME[:ARGUMENT...], separated by commas; repeatable")
      .list();
  command
      .option("-f,--format", options.formats, "LIST",
              "column, csv, tsv, json or markdown; one for each report; the last one applies to all further reports")
      .list();
  command.flag_taking(
      "--json", [&options](const std::string&) { options.formats = {"json"}; }, "same as --format json");
  command
      .option("-o,--output", options.outputs, "LIST",
              "output per report: '-' the console, '.' files next to the profile, @COMMAND a command's input, else the "
              "base name of files")
      .list();
  command.option("--timeunit", options.time_unit, "UNIT", "unit of times: nsec, usec, msec or seconds").shows_default();
  command.flag("--by-rank", options.by_rank, "print each table for every file of a run and for all of them together");
  command.flag("--force-overwrite", options.force_overwrite, "replace output files that exist");
  command.flag("--force-export", options.force_export,
               "accepted as in nsys; has no effect, since profiles are read directly");
  command.option_taking(
      "--sqlite", [](const std::string&) {}, "FILE",
      "accepted as in nsys; has no effect, since no SQLite file is needed");
  command.option_taking(
             "--report-dir", [](const std::string&) {}, "FOLDER", "not supported: reports are built in")
      .check([](const std::string&) {
        return std::string("reports are built in (--help-reports); use SQL on the profile for others");
      });
  command.flag("--help-formats", options.help_formats, "list the output formats");
  command.flag("-q,--quiet", options.quiet, "do not print skipped reports and the import log");
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<StatsOptions>();
  add_profile_options(command, options->profile);
  add_table_options(command, *options);
  command.flag("--help-reports{all}", options->help_reports, "list the reports; NAME or ALL describes them");
  command.runs([options] { return run(*options); });
}

}  // namespace
}  // namespace stats_cli

extern const Command stats_command;
const Command stats_command{"stats", "Print the tables of `nsys stats` from any profile",
                            "sonde stats -r cuda_gpu_kern_sum -f csv run.sqlite", stats_cli::set_up,
                            CommandGroup::explain};

}  // namespace sonde
