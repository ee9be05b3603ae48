#include "gate/history/history.h"

#include <array>
#include <memory>

#include <fmt/format.h>

#include "base/files/file.h"
#include "base/text/suggest.h"
#include "cli/baseline/shared_store_option.h"
#include "cli/output.h"
#include "gate/history/time_text.h"
#include "report/history/history_report.h"

namespace sonde {
namespace history_cli {
namespace {

struct Options {
  std::string store;
  std::string name = "default";
  std::string csv;
  std::string since;
  gate::HistoryOptions history;
  double min_change_percent = 0;
  bool fail_if_newest = false;
  bool json = false;
  std::vector<std::string> outputs;
  bool force_overwrite = false;
};

struct FileFormat {
  std::string_view ending;
  std::string (*write)(const gate::History& history, const Options& options);
};

constexpr auto kFormats = std::to_array<FileFormat>({
    {".html", [](const gate::History& h, const Options&) { return history_html(h); }},
    {".svg", [](const gate::History& h, const Options&) { return history_svg(h); }},
    {".json", [](const gate::History& h, const Options& o) { return history_json(h, o.history.change_points); }},
    {".csv", [](const gate::History& h, const Options&) { return history_csv(h); }},
});

Result<const FileFormat*> format_of(const std::string& file) {
  for (const FileFormat& format : kFormats) {
    if (file.ends_with(format.ending)) return &format;
  }
  return fail("{}: unknown file extension; use .html, .svg, .json or .csv", file);
}

/// What is wrong with the options' values, and what they say.
Status check(Options& options) {
  for (const std::string& file : options.outputs) {
    const auto format = format_of(file);
    if (!format) return std::unexpected(format.error());
  }
  std::vector<std::string_view> known;
  for (const gate::ConditionInfo& info : gate::condition_infos()) known.push_back(info.name);
  for (const std::string& name : options.history.allowed_conditions) {
    if (gate::find_condition(name) == nullptr) return fail("unknown condition '{}'{}", name, did_you_mean(name, known));
  }
  if (options.csv.empty()) {
    SONDE_TRY(gate::check_baseline_name(options.name));
    SONDE_TRY(gate::check_metrics(options.history));
  }
  options.history.change_points.min_magnitude = options.min_change_percent / 100;
  if (options.since.empty()) return {};
  const auto since = gate::moment_or_age(options.since, now_s(), "--since");
  if (!since) return std::unexpected(since.error());
  options.history.since_s = *since;
  return {};
}

Result<gate::History> history_of_csv_file(const Options& options) {
  const auto file = MappedFile::open(options.csv);
  if (!file) return std::unexpected(file.error());
  auto history = gate::history_of_csv(file->bytes(), options.history);
  if (!history) return fail("{}: {}", short_path(options.csv), history.error().message);
  return history;
}

Result<gate::History> history_of_store(const Options& options) {
  const auto listing = gate::list_baseline(options.store, options.name);
  if (!listing) return std::unexpected(listing.error());
  if (options.fail_if_newest && !listing->broken.empty()) return fail("{}", listing->broken.front().message);
  auto history = gate::history_of_entries(options.store, listing->entries, options.history);
  if (!history) return history;
  for (const gate::BrokenEntry& broken : listing->broken) history->notes.push_back("left out: " + broken.message);
  return history;
}

Result<gate::History> history_of(const Options& options) {
  auto history = options.csv.empty() ? history_of_store(options) : history_of_csv_file(options);
  if (!history || !history->series.empty()) return history;
  if (!options.csv.empty()) return fail("{} has no value{}", options.csv, options.since.empty() ? "" : " since then");
  return fail("the baseline '{}' in {} has no entry with such a metric{}", options.name, options.store,
              history->notes.empty() ? "; `sonde baseline add FILE...` adds one" : ": " + history->notes.front());
}

Status write_files(const gate::History& history, const Options& options) {
  for (const std::string& file : options.outputs) {
    const auto format = format_of(file);
    if (!format) return std::unexpected(format.error());
    auto output = Output::to_file(file, options.force_overwrite);
    if (!output) return std::unexpected(output.error());
    output->write((*format)->write(history, options));
    SONDE_TRY(output->close());
  }
  return {};
}

/// 1 where one is found.
int say_new_regressions(const gate::History& history, const Options& options) {
  int exit_code = kDone;
  for (const gate::HistorySeries& series : history.series) {
    const auto found = new_regression(series, options.history.change_points);
    if (!found) continue;
    const gate::HistoryPoint& since = series.points[found->index];
    fmt::print(stderr, "sonde: the newest value shows a regression: {} is {} worse since {}\n", series_title(series),
               change_text(*found), point_name(since));
    exit_code = kCannot;
  }
  return exit_code;
}

/// An unreadable history ends with 1 as a regression does, unless the command is there to tell them apart.
int failed(const Error& error, const Options& options) {
  constexpr int kErrorExit = 5;  // as the gate's
  report_error(error);
  return options.fail_if_newest ? kErrorExit : kCannot;
}

int run(Options& options) {
  if (const Status right = check(options); !right) {
    report_error(right.error());
    return kUsage;
  }
  const auto history = history_of(options);
  if (!history) return failed(history.error(), options);
  Output output;
  output.write(options.json ? history_json(*history, options.history.change_points)
                            : history_text(*history, terminal_options()));
  if (const Status done = output.close(); !done) return failed(done.error(), options);
  if (const Status done = write_files(*history, options); !done) return failed(done.error(), options);
  return options.fail_if_newest ? say_new_regressions(*history, options) : kDone;
}

void add_search_options(CommandLine& command, Options& options) {
  command.option("--window", options.history.change_points.window, "N", "number of values that are searched together")
      .within(4, 100'000)
      .shows_default();
  command.option("--max-p", options.history.change_points.max_p, "P", "ignore changes with a larger p-value")
      .between(0.0, 1.0)
      .shows_default();
  command.option("--min-change", options.min_change_percent, "PERCENT", "ignore smaller changes")
      .between(0.0, 1e6)
      .shows_default();
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  command.option("--name", options->name, "NAME", "baseline whose entries provide the values").shows_default();
  command.option("--csv", options->csv, "FILE", "read values from a CSV file: time, commit and one column per metric");
  command.option("--metric", options->history.metrics, "LIST", "metrics of a budget (or columns), separated by commas")
      .list();
  command
      .option("--higher-is-better", options->history.higher_is_better, "LIST",
              "columns of the CSV file for which higher values are better")
      .list();
  command
      .option("--allow", options->history.allowed_conditions, "CONDITION",
              "conditions that may differ within a series, such as driver")
      .list();
  command.option("--since", options->since, "DAY|AGE",
                 "show values since a day such as 2026-01-31, or not older than 90d");
  add_search_options(command, *options);
  command.flag("--json", options->json, "print JSON, as -o FILE.json has it");
  command.flag("--fail-if-newest", options->fail_if_newest,
               "exit with 1 if the newest value shows a regression for the first time, and with 5 on an error");
  command.option("-o,--output", options->outputs, "FILE", "file to write: .html, .svg, .json or .csv; repeatable")
      .repeatable();
  command.flag("--force-overwrite", options->force_overwrite, "replace an output file that exists");
  add_store_option(command, options->store);
  command.runs([options] { return run(*options); });
}

}  // namespace
}  // namespace history_cli

extern const Command history_command;
const Command history_command{"history", "Show metrics over time, and the versions in which they changed",
                              "sonde history --metric step_time -o history.html", history_cli::set_up,
                              CommandGroup::guard};

}  // namespace sonde
