#include <filesystem>

#include "base/text/command_words.h"
#include "cli/command.h"
#include "cli/gate_runs/run_options.h"
#include "cli/gate_runs/run_series.h"
#include "cli/output.h"
#include "cli/runs/decide_and_write.h"
#include "cli/runs/run_records.h"
#include "gate/decide/figures.h"
#include "gate/decide/floors_json.h"
#include "gate/decide/sequential.h"
#include "report/tables/quantity.h"
#include "report/text/sentence.h"

namespace sonde {
namespace gate_run_cli {
namespace {

struct Options {
  RunOptions run;
  DecideOutput output;
  int first = 10;
  int most = 30;
  std::string time_budget;
  std::string base_command;
  std::string base_folder;
  std::vector<std::string> base_files;
  std::string baseline;
  std::string store;
  std::string floors;
};

/// What the options say, once they are understood.
struct Task {
  gate::Budget budget;
  std::optional<gate::CalibratedFloors> floors;
  SeriesPlan plan;
  RunMakerOptions maker;
  std::vector<int> looks;
};

Status check_base(const Options& options) {
  const int ways = (options.base_files.empty() ? 0 : 1) + (options.baseline.empty() ? 0 : 1) +
                   (options.base_command.empty() && options.base_folder.empty() ? 0 : 1);
  if (ways > 1) {
    return fail("--base, --baseline, and --base-command or --base-dir exclude each other; give one");
  }
  return {};
}

/// The command of the base's runs, absent where none are made.
Result<std::optional<RunCommand>> base_command(const Options& options) {
  if (options.base_command.empty() && options.base_folder.empty()) return std::optional<RunCommand>();
  RunCommand command{.words = options.run.words, .folder = options.base_folder};
  if (!options.base_command.empty()) {
    auto words = command_words(options.base_command);
    if (!words) return fail("--base-command: {}", words.error().message);
    if (words->empty()) return fail("--base-command is empty");
    command.words = std::move(*words);
  }
  if (has_profile_place(command.words) != has_profile_place(options.run.words)) {
    return fail("only one of the two commands contains {}; both sides must be measured in the same way", kProfilePlace);
  }
  return std::optional(std::move(command));
}

Result<Task> understood(const Options& options) {
  SONDE_TRY(check_base(options));
  SONDE_TRY(check_names(options.output));
  auto maker = maker_options(options.run);
  if (!maker) return std::unexpected(maker.error());
  auto base = base_command(options);
  if (!base) return std::unexpected(base.error());
  const auto time_budget = duration_option("--time-budget", options.time_budget);
  if (!time_budget) return std::unexpected(time_budget.error());
  const auto warm_up = warm_up_runs(options.run);
  if (!warm_up) return std::unexpected(warm_up.error());
  Task task;
  task.maker = std::move(*maker);
  task.looks = looks_of(options.first, std::max(options.first, options.most));
  task.plan = {.changed = {.words = options.run.words},
               .base = std::move(*base),
               .warm_up = *warm_up,
               .most = task.looks.back(),
               .time_budget_ns = *time_budget};
  return task;
}

/// Whether the decision is written in a form that shows the profiles.
bool wants_profiles(const DecideOutput& output) {
  const auto wants = [](const auto& format) { return format && (*format)->needs_profiles; };
  if (wants(find_decision_format(output.format))) return true;
  return std::ranges::any_of(output.targets, [](const std::string& text) {
    const auto target = parse_decision_target(text);
    return target && target->format->needs_profiles;
  });
}

Status load_floors(const Options& options, Task& task) {
  if (options.floors.empty()) return {};
  auto floors = gate::load_floors(options.floors);
  if (!floors) return std::unexpected(floors.error());
  task.floors = std::move(*floors);
  return {};
}

/// Runs, looks and decides.
class Gate {
 public:
  Gate(const Options& options, const Task& task, RunSeries& series) : options_(options), task_(task), series_(series) {}

  Result<int> run() {
    if (!options_.base_files.empty()) SONDE_TRY(load_base());
    SONDE_TRY(series_.warm_up());
    SONDE_TRY(series_.make_until(1));
    if (!options_.baseline.empty()) SONDE_TRY(choose_base());
    if (may_end_early()) {
      // What cannot be compared after one run cannot after thirty.
      auto first = decided(gate::rate_share(task_.looks, 0));
      if (first.combined.outcome == gate::Outcome::not_comparable) return write(std::move(first));
    }
    for (size_t look = 0;; ++look) {
      SONDE_TRY(series_.make_until(task_.looks[look]));
      const bool last = look + 1 == task_.looks.size() || series_.out_of_time() || against_sessions();
      const double share = last ? 1 - spent_ : gate::rate_share(task_.looks, look);
      spent_ += share;
      const gate::Decision decision = decided(share);
      if (last || decision.combined.outcome != gate::Outcome::inconclusive) return write(decision);
      tell_open(decision, task_.looks[look + 1]);
    }
  }

 private:
  /// Runs that are kept, or that have no base, are made all the same: they become a baseline.
  [[nodiscard]] bool may_end_early() const {
    const bool has_base = task_.plan.base || !options_.base_files.empty() || !options_.baseline.empty();
    return has_base && options_.run.keep.empty();
  }

  /// More runs of one session tell nothing of how sessions differ.
  [[nodiscard]] bool against_sessions() const { return base().earlier.has_value(); }

  Status load_base() {
    auto records = load_records(options_.base_files);
    if (!records) return std::unexpected(records.error());
    given_base_ = {.records = std::move(*records), .files = options_.base_files};
    return {};
  }

  Status choose_base() {
    auto side = baseline_side({.name = options_.baseline, .store = options_.store}, series_.changed().records,
                              options_.output.allowed_conditions);
    if (!side) return std::unexpected(side.error());
    given_base_ = std::move(*side);
    given_base_.files.resize(given_base_.records.size());
    return {};
  }

  [[nodiscard]] const DecideSide& base() const { return task_.plan.base ? series_.base() : given_base_; }

  [[nodiscard]] gate::Decision decided(double share) const {
    gate::DecideOptions options;
    options.allowed_conditions = options_.output.allowed_conditions;
    options.floors = task_.floors ? &*task_.floors : nullptr;
    options.rate_share = share;
    if (base().earlier) options.earlier = &*base().earlier;
    return gate::decide(task_.budget, base().records, series_.changed().records, options);
  }

  [[nodiscard]] int write(gate::Decision decision) const {
    decision.base.label = base().label;
    for (const std::string& note : base().notes) decision.notes.insert(decision.notes.begin(), note);
    if (series_.out_of_time()) {
      fmt::print(stderr, "the time of --time-budget is over after {} per side\n",
                 counted(static_cast<int64_t>(series_.runs()), "run"));
    }
    return write_decision(decision, base(), series_.changed(), options_.output);
  }

  void tell_open(const gate::Decision& decision, int next) const {
    fmt::print(stderr, "inconclusive after {} per side, continuing to {}:\n",
               counted(static_cast<int64_t>(series_.runs()), "run"), next);
    for (const gate::Verdict& verdict : decision.verdicts) {
      if (verdict.outcome != gate::Outcome::inconclusive) continue;
      fmt::print(stderr, "  {}\n", comparing_sentence(gate::reason_text(verdict.reason), verdict.arguments));
    }
  }

  const Options& options_;
  const Task& task_;
  RunSeries& series_;
  DecideSide given_base_;
  double spent_ = 0;  ///< of the error rates
};

void tell_of_missing_counts(const gate::Budget& budget) {
  const auto is_count = [](const gate::BudgetRule& rule) { return gate::is_processor_count(rule.metric->name); };
  const auto rule = std::ranges::find_if(budget.rules, is_count);
  if (rule == budget.rules.end()) return;
  const std::string why = why_no_counts();
  if (!why.empty()) complain(fmt::format("{} cannot be counted: {}", rule->metric->name, why));
}

int make_and_decide(const Options& options, Task& task) {
  const auto runner = system_subprocess_runner();
  auto budget = load_budget(options.output.budget_file);
  if (!budget) return budget_error(options.output.budget_file, budget.error());
  task.budget = std::move(*budget);
  tell_of_missing_counts(task.budget);
  if (const Status loaded = load_floors(options, task); !loaded) return gate_error(loaded.error());
  auto folder = folder_for(options.run);
  if (!folder) return gate_error(folder.error());
  task.maker.keep_profiles = wants_profiles(options.output);
  const LockedClocks clocks = clocks_for(task.maker);
  RunMaker maker(*runner, *folder, task.maker);
  RunSeries series(maker, task.plan);
  const auto ended = Gate(options, task, series).run();
  return ended ? *ended : run_error(ended.error(), *runner);
}

int run(const Options& options) {
  auto task = understood(options);
  if (!task) return gate_usage_error(task.error(), "gate run");
  return make_and_decide(options, *task);
}

std::string existing_folder(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error) ? "" : fmt::format("the folder {} does not exist", path);
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  command
      .option("--budget", options->output.budget_file, "FILE",
              "budget: limits for metrics (docs/schemas/budget.schema.json)")
      .required();
  command.option("-n,--runs", options->first, "N", "number of runs per side before the first decision")
      .above_zero()
      .shows_default();
  command.option("--max-runs", options->most, "N", "maximum number of runs per side while the decision is inconclusive")
      .above_zero()
      .shows_default();
  command.option("--time-budget", options->time_budget, "TIME", "start no more runs after this time, such as 30m");
  command.option("--base-command", options->base_command, "COMMAND",
                 "command of the baseline's runs, split as a shell does; they alternate with the new runs");
  command
      .option("--base-dir", options->base_folder, "FOLDER",
              "folder in which the baseline runs, such as another checkout")
      .check(existing_folder);
  command.option("--base", options->base_files, "FILE", "profiles or records of the baseline, one run per FILE");
  command.option("--baseline", options->baseline, "NAME[@ENTRY]", "stored baseline to compare with");
  command.option("--store", options->store, "FOLDER",
                 "folder of the baselines (default: $SONDE_BASELINE, else .sonde/baseline)");
  command.option("--floors", options->floors, "FILE", "noise floors from `sonde gate calibrate`");
  add_decide_options(command, options->output);
  add_run_options(command, options->run);
  command.runs([options] { return run_gate_command([&] { return run(*options); }); });
}

}  // namespace
}  // namespace gate_run_cli

extern const Command gate_run_command;
const Command gate_run_command{
    "run", "Run the program, interleaved with the baseline, and decide",
    "sonde gate run -n 10 --budget budget.yaml --base-dir ../main -- sonde record -o {profile} python train.py",
    gate_run_cli::set_up};

}  // namespace sonde
