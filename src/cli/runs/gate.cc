#include <array>

#include "base/files/file.h"
#include "cli/output.h"
#include "cli/runs/decide_and_write.h"
#include "cli/runs/run_records.h"
#include "gate/decide/floors_json.h"
#include "gate/verdict.h"
#include "report/tables/quantity.h"

namespace sonde {

#define SONDE_GATE_COMMAND(name) extern const Command gate_##name##_command;
#include "cli/gate/list.inc"
#undef SONDE_GATE_COMMAND

namespace gate_cli {
namespace {

const std::array kCommands = {
#define SONDE_GATE_COMMAND(name) gate_##name##_command,
#include "cli/gate/list.inc"
#undef SONDE_GATE_COMMAND
};

struct GateOptions {
  std::string budget;
  bool validate = false;
  std::vector<std::string> base;
  BaselineChoice baseline;
  std::string floors;
  std::vector<std::string> changed;
  std::vector<std::string> files;
  DecideOutput output;
};

int usage_error(const Error& error) {
  report_error(error);
  return gate::kUsageExit;
}

/// FILE and --new FILE are the same.
std::vector<std::string> changed_files(const GateOptions& options) {
  std::vector<std::string> files = options.changed;
  files.insert(files.end(), options.files.begin(), options.files.end());
  return files;
}

Status check_options(const GateOptions& options) {
  if (options.budget.empty()) return fail("--budget is missing; name the file of the budget");
  if (options.validate) return {};
  if (changed_files(options).empty()) return fail("FILE is missing; name the profiles of the new runs");
  if (!options.base.empty() && !options.baseline.name.empty()) {
    return fail("--base and --baseline both name the baseline; give one");
  }
  std::vector<std::string> files = changed_files(options);
  files.insert(files.end(), options.base.begin(), options.base.end());
  SONDE_TRY(check_named_once(files));
  return check_names(options.output);
}

int validate(const GateOptions& options) {
  const auto text = MappedFile::open(options.budget);
  if (!text) return gate_error(text.error());
  const gate::BudgetReading reading = gate::read_budget(text->bytes());
  for (const gate::BudgetProblem& problem : reading.problems) {
    fmt::print("{}\n", gate::problem_text(options.budget, problem));
  }
  if (!reading.problems.empty()) return gate::kUsageExit;
  fmt::print("{}: {}, valid\n", options.budget, counted(static_cast<int64_t>(reading.budget.rules.size()), "rule"));
  return 0;
}

Result<DecideSide> load_side(std::vector<std::string> files) {
  auto records = load_records(files);
  if (!records) return std::unexpected(records.error());
  return DecideSide{.records = std::move(*records), .files = std::move(files), .label = {}};
}

Result<DecideSide> load_base(const GateOptions& options, const DecideSide& changed) {
  if (options.baseline.name.empty()) return load_side(options.base);
  return baseline_side(options.baseline, changed.records, options.output.allowed_conditions);
}

Result<int> decide_files(const GateOptions& options, const gate::Budget& budget) {
  gate::DecideOptions deciding;
  deciding.allowed_conditions = options.output.allowed_conditions;
  gate::CalibratedFloors floors;
  if (!options.floors.empty()) {
    auto loaded = gate::load_floors(options.floors);
    if (!loaded) return std::unexpected(loaded.error());
    floors = std::move(*loaded);
    deciding.floors = &floors;
  }
  const auto changed = load_side(changed_files(options));
  if (!changed) return std::unexpected(changed.error());
  const auto base = load_base(options, *changed);
  if (!base) return std::unexpected(base.error());
  DecideOutput output = options.output;
  output.budget_file = options.budget;
  return decide_and_write(budget, *base, *changed, deciding, output);
}

int decide(const GateOptions& options) {
  const auto budget = load_budget(options.budget);
  if (!budget) return budget_error(options.budget, budget.error());
  const auto code = decide_files(options, *budget);
  return code ? *code : gate_error(code.error());
}

int run(const GateOptions& options) {
  if (const Status right = check_options(options); !right) return usage_error(right.error());
  return options.validate ? validate(options) : decide(options);
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<GateOptions>();
  command.positional("FILE", options->files,
                     "new runs, one per FILE: a profile, a folder (the ranks of a run), or a record");
  command.option("--new", options->changed, "FILE", "same as FILE, for use after options that accept several FILEs");
  command.option("--base", options->base, "FILE", "runs to compare with, one per FILE");
  command.option("--baseline", options->baseline.name, "NAME[@ENTRY]", "stored runs to compare with (sonde baseline)");
  command.option("--store", options->baseline.store, "FOLDER",
                 "folder of the baselines (default: $SONDE_BASELINE, else .sonde/baseline)");
  command.option("--floors", options->floors, "FILE", "noise floors from `sonde gate calibrate`");
  command.option("--budget", options->budget, "FILE",
                 "budget: limits for metrics (YAML, schema: docs/schemas/budget.schema.json)");
  command.flag("--validate", options->validate, "check the budget and exit");
  add_decide_options(command, options->output);
  command.runs([options] { return run_gate_command([&] { return run(*options); }); });
}

}  // namespace
}  // namespace gate_cli

extern const Command gate_command;
const Command gate_command{"gate",
                           "Check runs against a budget: 0 pass, 1 fail, 3 inconclusive, 4 not comparable",
                           "sonde gate --budget budget.yaml --base before.sqlite --new after.sqlite",
                           gate_cli::set_up,
                           CommandGroup::guard,
                           gate_cli::kCommands};

}  // namespace sonde
