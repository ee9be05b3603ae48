#include <algorithm>
#include <array>

#include "analyses/kernel_table/kernel_columns.h"
#include "analyses/kernel_table/kernel_gaps.h"
#include "analyses/kernels/kernel_choice.h"
#include "cli/json_flag.h"
#include "cli/output.h"
#include "cli/profile_options.h"
#include "metrics/quantities.h"
#include "report/tables/quantity.h"
#include "report/tables/table_format.h"
#include "report/text/gaps_text.h"
#include "report/text/log_text.h"
#include "trace/columns.h"

namespace sonde {
namespace kernels_cli {
namespace {

struct Options {
  ProfileOptions profile;
  std::string kernel;
  std::string group_by;
  std::vector<std::string> columns;
  bool list_columns = false;
  std::string format;
  std::string time_unit = "nanoseconds";
  std::string output;
  bool force_overwrite = false;
  bool quiet = false;
};

int list_columns() {
  for (const KernelColumn& column : kernel_columns()) fmt::print("{:<36}{}\n", column.name, column.description);
  for (const Quantity& quantity : quantities()) {
    fmt::print("{:<36}{}{}\n", quantity.name, quantity.meaning,
               quantity.unit.empty() ? std::string() : fmt::format(" ({})", quantity.unit));
  }
  return kDone;
}

/// A launch a row where a profiler measured some, else the launches of a timeline by kernel and shape.
std::string grouping_text(const Options& options, bool measured) {
  if (!options.group_by.empty()) return options.group_by;
  return measured ? "launch" : "name,grid,block,registers,shared";
}

struct KernelTable {
  Table table;
  std::vector<ColumnGap> gaps;
};

Result<KernelTable> table_of(const Options& options, const Trace& trace) {
  const bool measured = !trace.kernel_profiles.empty();
  const auto choice = parse_kernel_choice(options.kernel);
  if (!choice) return std::unexpected(choice.error());
  const auto grouping = parse_kernel_grouping(grouping_text(options, measured));
  if (!grouping) return std::unexpected(grouping.error());
  std::vector<KernelLaunch> launches = kernel_launches(trace);
  std::erase_if(launches, [&](const KernelLaunch& launch) { return !(*choice)(launch); });
  if (launches.empty()) {
    const std::string which =
        options.kernel.empty() ? std::string() : fmt::format(" that '{}' chooses", options.kernel);
    return fail("{} contains no kernel{}", trace.ranks.front().file, which);
  }
  const auto groups = group_kernels(launches, *grouping);
  const auto columns = options.columns.empty() ? default_kernel_columns(measured) : options.columns;
  auto table = kernel_table(trace, groups, columns);
  if (!table) return std::unexpected(table.error());
  auto gaps = gaps_of(*table, groups, columns);
  return KernelTable{std::move(*table), std::move(gaps)};
}

/// A default column without any value costs the width that others need; the note below names it.
void drop_empty_columns(KernelTable& kernels) {
  std::vector<size_t> empty;
  for (const ColumnGap& gap : kernels.gaps) {
    if (gap.every_row) empty.push_back(gap.column);
  }
  kernels.table.drop_columns(empty);
}

/// What a narrow terminal can do without, the most dispensable first.
void let_columns_yield(Table& table) {
  constexpr std::array<std::string_view, 17> kYielding = {
      "Top Advice",   "L1 Hit",     "L2 Hit",       "DRAM Write", "DRAM Read", "Occ Limiter",
      "Shared/Block", "Reg/Thread", "Achieved Occ", "Tail",       "Waves",     "Theor Occ",
      "Block",        "Grid",       "Launches",     "Avg",        "Top Stall"};
  for (Column& column : table.columns) {
    const auto* const found = std::ranges::find(kYielding, column.name);
    column.yields = static_cast<int>(kYielding.end() - found);
  }
}

/// What the table leaves open, for a person.
std::string note_of(const Trace& trace) {
  if (trace.kernel_profiles.empty()) {
    return "note: a timeline has no counters (speed of light, bytes, hit rates, stalls); sonde record --set full or "
           "ncu --set full, with -o KERNELS PROGRAM, measures them\n";
  }
  if (row_count(trace.kernels) > 0) {
    return fmt::format(
        "note: {} of the timeline are left out, because times under a kernel profiler are not comparable with them\n",
        counted(static_cast<int64_t>(row_count(trace.kernels)), "kernel"));
  }
  return {};
}

Status run(const Options& options) {
  const auto unit = find_time_unit(options.time_unit);
  if (!unit) return std::unexpected(unit.error());
  const std::string format_name = !options.format.empty() ? options.format : options.output.empty() ? "column" : "csv";
  const auto format = find_table_format(format_name);
  if (!format) return std::unexpected(format.error());
  const auto trace = load(options.profile, kernel_column_fields());
  if (!trace) return std::unexpected(trace.error());
  auto kernels = table_of(options, *trace);
  if (!kernels) return std::unexpected(kernels.error());
  if ((*format)->for_people && options.columns.empty()) {
    drop_empty_columns(*kernels);
    let_columns_yield(kernels->table);
  }
  auto output = options.output.empty() ? Output() : Output::to_file(options.output, options.force_overwrite);
  if (!output) return std::unexpected(output.error());
  RenderOptions render = options.output.empty() ? terminal_options() : RenderOptions();
  render.time_unit = *unit;
  render.absent = "-";
  (*format)->render(kernels->table, render, output->sink());
  if (!options.quiet) {
    note(fmt::format("{}{}{}", gaps_text(kernels->gaps), note_of(*trace), log_text(trace->log)));
  }
  return output->close();
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  add_profile_options(command, options->profile);
  command.option("-k,--kernel,--kernel-name", options->kernel, "ID|REGEX",
                 "show launches with this ID, or with a name that matches");
  command.option("--group-by", options->group_by, "LIST",
                 "group by name, grid, block, registers, shared or several of them; launch: one row per launch");
  command.option("--columns", options->columns, "LIST", "columns, quantities or metrics to show, separated by commas")
      .list();
  command.flag("--list-columns", options->list_columns, "list the names that --columns accepts");
  command.option("-f,--format", options->format, "FORMAT", "output format: column, csv, tsv, json or markdown");
  add_json_flag(command, options->format);
  command.option("--timeunit", options->time_unit, "UNIT", "unit of times: nsec, usec, msec or seconds")
      .shows_default();
  command.option("-o,--output", options->output, "FILE", "file to write; csv unless --format is given");
  command.flag("--force-overwrite", options->force_overwrite, "replace an output file that exists");
  command.flag("-q,--quiet", options->quiet, "do not print notes on missing data and the import log");
  command.runs([options] {
    return options->list_columns ? list_columns() : finish(options->profile, [&] { return run(*options); });
  });
}

}  // namespace
}  // namespace kernels_cli

extern const Command kernels_command;
const Command kernels_command{"kernels", "List kernels: time, limiting resource, occupancy, bytes, stalls, advice",
                              "sonde kernels kernels.ncu-rep", kernels_cli::set_up, CommandGroup::explain};

}  // namespace sonde
