#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/suggest.h"
#include "cli/json_flag.h"
#include "cli/output.h"
#include "cli/simulate/documents.h"
#include "cli/simulate/inputs.h"
#include "cli/simulate/plots.h"
#include "cli/simulate/tables.h"
#include "report/tables/quantity.h"

namespace sonde {
namespace simulate_cli {
namespace {

using dispatch::simulation::Measures;
using dispatch::simulation::Outcome;
using simulate::Scene;

struct Options {
  simulate::Inputs inputs;
  std::vector<std::string> strategies;
  std::string format = "text";
  std::string plot;
  std::string tasks;
  std::string intervals;
  bool force_overwrite = false;
};

struct Played {
  std::vector<Outcome> outcomes;
  std::vector<Measures> measures;
};

constexpr auto kFormats = std::to_array<std::string_view>({"text", "csv", "tsv", "json", "markdown"});

Status check(const Options& options) {
  if (options.inputs.workload_file.empty() == options.inputs.history.empty())
    return fail("give either --workload FILE or --history FOLDER");
  if (std::ranges::find(kFormats, options.format) == kFormats.end())
    return fail("unknown format '{}'{}; use {}", options.format, did_you_mean(options.format, kFormats),
                fmt::join(kFormats, ", "));
  return {};
}

/// The configured one where nothing is said.
Result<std::vector<std::string>> strategies_of(const Options& options, const config::Config& config) {
  const config::MultiGpu& multi = config.gpu.multi_gpu;
  if (options.strategies.empty()) return std::vector{multi.default_strategy};
  std::vector<std::string> all;
  const std::vector<std::string_view> known(multi.strategies.begin(), multi.strategies.end());
  for (const std::string& name : options.strategies) {
    if (name == "all") {
      all.insert(all.end(), multi.strategies.begin(), multi.strategies.end());
    } else if (std::ranges::find(multi.strategies, name) != multi.strategies.end()) {
      all.push_back(name);
    } else {
      return fail("unknown strategy '{}'{}; the configuration has {}; or all", name, did_you_mean(name, known),
                  fmt::join(multi.strategies, ", "));
    }
  }
  return all;
}

Result<Played> play(const Scene& scene, const std::vector<std::string>& strategies, uint64_t seed) {
  Played played;
  for (const std::string& strategy : strategies) {
    dispatch::simulation::Setup setup{.config = scene.config,
                                      .host = scene.host,
                                      .speeds = scene.speeds,
                                      .jobs = scene.jobs,
                                      .duration_ns = scene.duration_ns,
                                      .seed = seed};
    setup.config.gpu.multi_gpu.default_strategy = strategy;
    auto outcome = dispatch::simulation::simulate(setup);
    if (!outcome) return std::unexpected(outcome.error());
    played.measures.push_back(dispatch::simulation::measures_of(*outcome));
    played.outcomes.push_back(std::move(*outcome));
  }
  return played;
}

Status write_table(Output& output, const Table& table, std::string_view format_name) {
  const auto format = find_table_format(format_name);
  if (!format) return std::unexpected(format.error());
  RenderOptions render = terminal_options();
  render.absent = "-";
  (*format)->render(table, render, output.sink());
  return {};
}

std::string hours_text(int64_t ns) { return fmt::format("{:.3g} h", static_cast<double>(ns) / 3600e9); }

std::string heading(const Scene& scene, uint64_t seed) {
  return fmt::format("{} over {} on {} (simulated), seed {}\n\n", counted(std::ssize(scene.jobs), "task"),
                     hours_text(scene.duration_ns), counted(std::ssize(scene.host.gpus), "GPU"), seed);
}

Status write_text(Output& output, const Scene& scene, const Played& played, uint64_t seed) {
  output.write(heading(scene, seed));
  for (const Table& table : {simulate::strategies_table(played.measures), simulate::priorities_table(played.measures),
                             simulate::types_table(played.measures)}) {
    output.write(table.title + "\n\n");
    SONDE_TRY(write_table(output, table, "column"));
    output.write("\n");
  }
  output.write(simulate::bars_text(played.outcomes, terminal_options().width));
  for (const std::string& note : scene.notes) output.write("note: " + note + "\n");
  return {};
}

Status write_main(const Options& options, const Scene& scene, const Played& played) {
  Output output;
  if (options.format == "text") {
    SONDE_TRY(write_text(output, scene, played, options.inputs.seed));
  } else if (options.format == "json") {
    output.write(simulate::measures_json(played.outcomes, played.measures, options.inputs.seed));
  } else {
    SONDE_TRY(write_table(output, simulate::strategies_table(played.measures), options.format));
  }
  return output.close();
}

Status write_file(const std::string& file, bool overwrite, const std::string& text) {
  auto output = Output::to_file(file, overwrite);
  if (!output) return std::unexpected(output.error());
  output->write(text);
  return output->close();
}

Status write_all(const Options& options, const Scene& scene, const Played& played) {
  SONDE_TRY(write_main(options, scene, played));
  const bool overwrite = options.force_overwrite;
  if (!options.plot.empty()) SONDE_TRY(write_file(options.plot, overwrite, simulate::plot_svg(played.outcomes)));
  if (!options.tasks.empty()) SONDE_TRY(write_file(options.tasks, overwrite, simulate::tasks_csv(played.outcomes)));
  if (!options.intervals.empty())
    SONDE_TRY(write_file(options.intervals, overwrite, simulate::intervals_csv(played.outcomes)));
  return {};
}

int run(const Options& options) {
  if (const Status right = check(options); !right) {
    report_error(right.error());
    return kUsage;
  }
  const auto scene = simulate::scene_of(options.inputs);
  if (!scene) return report_error(scene.error());
  const auto strategies = strategies_of(options, scene->config);
  if (!strategies) {
    report_error(strategies.error());
    return kUsage;
  }
  const auto played = play(*scene, *strategies, options.inputs.seed);
  if (!played) return report_error(played.error());
  const Status written = write_all(options, *scene, *played);
  return written ? kDone : report_error(written.error());
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  simulate::Inputs& inputs = options->inputs;
  command.option("--config", inputs.config_file, "FILE",
                 "configuration file of the service (default: built-in values)");
  command.option("--workload", inputs.workload_file, "FILE", "tasks to simulate (docs/serve/simulate.md)");
  command.option("--history", inputs.history, "FOLDER",
                 "tasks of a service to replay: its state folder, or its tasks.db");
  command.option("--simulated", inputs.simulated, "FILE", "description of the GPUs (docs/serve/simulated_gpus.md)");
  command
      .option("--strategy", options->strategies, "LIST",
              "strategies to simulate, separated by commas, or all (default: the configured one)")
      .list();
  command.option("--seed", inputs.seed, "N", "seed of random numbers").shows_default();
  command.option("--format", options->format, "FORMAT", "output format: text, csv, tsv, json or markdown")
      .shows_default();
  add_json_flag(command, options->format);
  command.option("--plot", options->plot, "FILE", ".svg file for queue length and GPU utilization over time");
  command.option("--tasks", options->tasks, "FILE", ".csv file for the outcome of each task");
  command.option("--intervals", options->intervals, "FILE", ".csv file for the GPU and the interval of each attempt");
  command.flag("--force-overwrite", options->force_overwrite, "replace output files that exist");
  command.runs([options] { return run(*options); });
}

}  // namespace
}  // namespace simulate_cli

extern const Command simulate_command;
const Command simulate_command{"simulate", "Simulate tasks on GPUs with any strategy: waits, fairness, utilization",
                               "sonde simulate --config config.yaml --workload workload.yaml --strategy all",
                               simulate_cli::set_up, CommandGroup::operate};

}  // namespace sonde
