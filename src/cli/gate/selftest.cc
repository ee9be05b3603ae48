#include <algorithm>
#include <map>

#include "cli/command.h"
#include "cli/gate_runs/noise_family.h"
#include "cli/gate_runs/run_options.h"
#include "cli/output.h"
#include "cli/runs/decide_and_write.h"
#include "cli/runs/run_records.h"
#include "gate/decide/floors_json.h"
#include "gate/self_test.h"
#include "gate/simulated_runs.h"
#include "report/tables/quantity.h"

namespace sonde {
namespace gate_selftest_cli {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string floors;
  bool simulated = false;
  std::string budget;
  gate::SelfTestPlan plan;
};

constexpr size_t kSimulatedKernels = 200;
constexpr size_t kSimulatedRuns = 30;

std::vector<NoisyFigure> simulated_figures(uint64_t seed) {
  gate::Random random(seed);
  std::vector<NoisyFigure> figures;
  for (size_t k = 1; k <= kSimulatedKernels; ++k) {
    figures.push_back({"kernel_time", fmt::format("kernel {}", k), gate::simulate_runs({}, kSimulatedRuns, random)});
  }
  return figures;
}

Result<std::vector<NoisyFigure>> figures_of_files(const Options& options) {
  const auto records = load_records(options.files);
  if (!records) return std::unexpected(records.error());
  if (options.budget.empty()) return noisy_figures(every_timed_figure(), *records);
  const auto budget = load_budget(options.budget);
  if (!budget) return std::unexpected(budget.error());
  return noisy_figures(*budget, *records);
}

Result<std::vector<NoisyFigure>> figures_of(const Options& options) {
  if (options.simulated) return simulated_figures(options.plan.seed);
  if (options.floors.empty()) return figures_of_files(options);
  const auto floors = gate::load_floors(options.floors);
  if (!floors) return std::unexpected(floors.error());
  return noisy_figures(*floors);
}

/// What came out for all subjects of a metric.
struct OfMetric {
  std::vector<double> deviations;
  std::vector<double> changes;  ///< those that are found
  size_t never = 0;             ///< subjects in which none is
};

/// Absent where it is in none of the changes that are found.
std::optional<double> middle(OfMetric& metric) {
  if (metric.never >= metric.changes.size()) return std::nullopt;
  return gate::centre_of(metric.changes, gate::Centre::median);
}

std::optional<double> largest(const OfMetric& metric) {
  if (metric.never > 0 || metric.changes.empty()) return std::nullopt;
  return std::ranges::max(metric.changes);
}

using ByMetric = std::map<std::string, OfMetric>;

ByMetric by_metric(std::span<const NoisyFigure> figures, const gate::SelfTestResult& result) {
  ByMetric metrics;
  for (size_t i = 0; i < figures.size(); ++i) {
    OfMetric& metric = metrics[figures[i].metric];
    metric.deviations.push_back(deviation_between(gate::run_centres(figures[i].runs, gate::Centre::median)));
    if (const auto change = result.smallest_change[i]) {
      metric.changes.push_back(*change);
    } else {
      ++metric.never;
    }
  }
  return metrics;
}

/// The figure that people ask about first.
const std::string& headline(const ByMetric& metrics) {
  for (const char* name : {"step_time", "wall_time", "avg_kernel_time"}) {
    if (const auto found = metrics.find(name); found != metrics.end()) return found->first;
  }
  return metrics.begin()->first;
}

std::string found_text(ByMetric& metrics) {
  const std::string& name = headline(metrics);
  OfMetric& metric = metrics.at(name);
  const auto change = middle(metric);
  if (!change) return fmt::format("no change of {} is found with 95 % power: make more runs a side", name);
  const std::string of =
      metric.deviations.size() == 1
          ? std::string()
          : fmt::format(" (median of {})", counted(static_cast<int64_t>(metric.deviations.size()), "subject"));
  return fmt::format("a change of {} in {}{} is found with 95 % power", share_text(change), name, of);
}

std::string rate_text_of(double rate) { return fmt::format("{:.2g} %", 100 * rate); }

void print(const Options& options, std::span<const NoisyFigure> figures, const gate::SelfTestResult& result) {
  ByMetric metrics = by_metric(figures, result);
  fmt::print("{}, with {} a side, {}; false alarms {} (at most {}, with 95 % confidence; {}).\n\n",
             options.simulated ? "With simulated noise of 1 % between runs" : "On this machine",
             counted(static_cast<int64_t>(options.plan.runs_per_side), "run"), found_text(metrics),
             rate_text_of(result.false_alarm_rate), rate_text_of(result.false_alarm_bound),
             counted(options.plan.comparisons, "comparison"));
  std::vector<std::vector<std::string>> rows{
      {"metric", "subjects", "between runs, median", "smallest change found, median", "largest"}};
  for (auto& [name, metric] : metrics) {
    rows.push_back({name, fmt::to_string(metric.deviations.size()),
                    share_text(gate::centre_of(metric.deviations, gate::Centre::median)), share_text(middle(metric)),
                    share_text(largest(metric))});
  }
  fmt::print(
      "{}\n{} runs of one program are drawn from{}.\n", figures_table(rows, 0), figures[0].runs.size(),
      figures.size() == 1 ? std::string() : fmt::format("; all {} figures are corrected together", figures.size()));
}

int run(const Options& options) {
  const int ways = (options.files.empty() ? 0 : 1) + (options.floors.empty() ? 0 : 1) + (options.simulated ? 1 : 0);
  if (ways != 1) {
    return gate_usage_error({"give one of FILE, --floors FILE and --simulated"}, "gate selftest");
  }
  const auto figures = figures_of(options);
  if (!figures) return gate_error(figures.error());
  if (figures->empty()) return gate_error({"the runs have no timed figure in common"});
  std::vector<gate::TimedRuns> family;
  for (const NoisyFigure& figure : *figures) family.push_back(figure.runs);
  const auto result = gate::self_test(family, options.plan);
  if (!result) return gate_error(result.error());
  print(options, *figures, *result);
  return kDone;
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  command.positional("FILE", options->files, "runs of one unchanged program: profiles or records");
  command.option("--floors", options->floors, "FILE", "runs stored by `sonde gate calibrate -o`");
  command.flag("--simulated", options->simulated, "use 200 kernels with simulated noise");
  command.option("--budget", options->budget, "FILE", "only the metrics of this budget");
  command.option("-n,--runs", options->plan.runs_per_side, "N", "number of runs per side").above_zero().shows_default();
  command.option("--comparisons", options->plan.comparisons, "N", "number of comparisons of equal runs")
      .above_zero()
      .shows_default();
  command.option("--seed", options->plan.seed, "N", "seed of random numbers").shows_default();
  command.runs([options] { return run_gate_command([&] { return run(*options); }); });
}

}  // namespace
}  // namespace gate_selftest_cli

extern const Command gate_selftest_command;
const Command gate_selftest_command{"selftest",
                                    "Estimate the gate's false positive rate and the smallest change it finds",
                                    "sonde gate selftest --floors floors.json -n 6", gate_selftest_cli::set_up};

}  // namespace sonde
