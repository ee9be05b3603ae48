
#include "cli/command.h"
#include "cli/gate_runs/noise_family.h"
#include "cli/gate_runs/run_options.h"
#include "cli/gate_runs/run_series.h"
#include "cli/output.h"
#include "cli/runs/decide_and_write.h"
#include "cli/runs/run_records.h"
#include "gate/decide/floors_json.h"
#include "gate/noise_floor.h"
#include "report/tables/quantity.h"

namespace sonde {
namespace gate_calibrate_cli {
namespace {

struct Options {
  RunOptions run;
  bool is_command = false;  ///< what stands there is a command, not files
  int runs = 20;
  std::string time_budget;
  std::string budget;
  std::string output;
  bool force_overwrite = false;
};

constexpr size_t kFewRuns = 5;
constexpr size_t kManyRuns = 10;

Result<std::vector<gate::RunRecord>> make_runs(const Options& options, RunMakerOptions making, SeriesPlan plan,
                                               SubprocessRunner& runner) {
  auto folder = folder_for(options.run);
  if (!folder) return std::unexpected(folder.error());
  const LockedClocks clocks = clocks_for(making);
  RunMaker maker(runner, *folder, std::move(making));
  RunSeries series(maker, std::move(plan));
  SONDE_TRY(series.warm_up());
  SONDE_TRY(series.make_until(options.runs));
  return series.changed().records;
}

std::string table_of(const gate::CalibratedFloors& floors) {
  std::vector<std::vector<std::string>> rows{{"metric", "subject", "between runs", "floor, 5 runs", "10 runs"}};
  for (const auto& [what, centres] : floors.centres) {
    rows.push_back({what.first, what.second, share_text(deviation_between(centres)),
                    share_text(gate::noise_floor(centres, kFewRuns, kFewRuns)),
                    share_text(gate::noise_floor(centres, kManyRuns, kManyRuns))});
  }
  return figures_table(rows, terminal_options().width);
}

Status write_floors(const Options& options, const gate::CalibratedFloors& floors) {
  if (options.output.empty()) return {};
  auto output = Output::to_file(options.output, options.force_overwrite);
  if (!output) return std::unexpected(output.error());
  output->write(gate::floors_json(floors));
  return output->close();
}

Status calibrate(const Options& options, std::span<const gate::RunRecord> records) {
  if (records.size() < gate::kFewestCalibrationRuns) {
    return fail("measuring noise needs at least {} runs of one program (20 are recommended), and this is {}",
                gate::kFewestCalibrationRuns, counted(static_cast<int64_t>(records.size()), "run"));
  }
  gate::Budget given;
  if (!options.budget.empty()) {
    auto budget = load_budget(options.budget);
    if (!budget) return std::unexpected(budget.error());
    given = std::move(*budget);
  }
  const auto figures = noisy_figures(options.budget.empty() ? every_timed_figure() : given, records);
  if (figures.empty())
    return fail("the runs have no timed metric{} in common", options.budget.empty() ? "" : " of the budget");
  const gate::CalibratedFloors floors = floors_of(figures, records);
  fmt::print("{} of one program; 99 of 100 comparisons of it with itself differ by no more than the floor.\n\n{}",
             counted(static_cast<int64_t>(records.size()), "run"), table_of(floors));
  SONDE_TRY(write_floors(options, floors));
  if (!options.output.empty()) fmt::print(stderr, "{} is what `sonde gate --floors` reads\n", options.output);
  return {};
}

int from_files(const Options& options) {
  if (options.run.words.empty()) {
    return gate_usage_error({"give a command after --, or FILEs"}, "gate calibrate");
  }
  const auto records = load_records(options.run.words);
  if (!records) return gate_error(records.error());
  const Status done = calibrate(options, *records);
  return done ? kDone : gate_error(done.error());
}

int from_command(const Options& options) {
  const auto making = maker_options(options.run);
  if (!making) return gate_usage_error(making.error(), "gate calibrate");
  const auto time_budget = duration_option("--time-budget", options.time_budget);
  if (!time_budget) return gate_usage_error(time_budget.error(), "gate calibrate");
  const auto warm_up = warm_up_runs(options.run);
  if (!warm_up) return gate_usage_error(warm_up.error(), "gate calibrate");
  const auto runner = system_subprocess_runner();
  const auto records = make_runs(options, *making,
                                 {.changed = {.words = options.run.words},
                                  .warm_up = *warm_up,
                                  .most = options.runs,
                                  .time_budget_ns = *time_budget},
                                 *runner);
  if (!records) return run_error(records.error(), *runner);
  const Status done = calibrate(options, *records);
  return done ? kDone : gate_error(done.error());
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  command.option("-n,--runs", options->runs, "N", "number of runs").above_zero().shows_default();
  command.option("--time-budget", options->time_budget, "TIME", "start no more runs after this time, such as 30m");
  command.option("--budget", options->budget, "FILE", "only the metrics of this budget");
  command.option("-o,--output", options->output, "FILE", "file for the noise floors (docs/schemas/floors.schema.json)");
  command.flag("--force-overwrite", options->force_overwrite, "replace an output file that exists");
  add_run_options(command, options->run);
  command.runs([options, command] {
    options->is_command = command.has_separator();
    return run_gate_command([&] { return options->is_command ? from_command(*options) : from_files(*options); });
  });
}

}  // namespace
}  // namespace gate_calibrate_cli

extern const Command gate_calibrate_command;
const Command gate_calibrate_command{
    "calibrate", "Measure the noise between runs of the same program on this machine",
    "sonde gate calibrate -n 20 -o floors.json -- sonde record -o {profile} python train.py",
    gate_calibrate_cli::set_up};

}  // namespace sonde
