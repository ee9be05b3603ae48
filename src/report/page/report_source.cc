#include "report/page/report_source.h"

#include "gate/record/record_run.h"

#include <utility>

#include "analyses/kernels/kernel_join.h"
#include "analyses/kernels/launch_occupancy.h"
#include "analyses/reports/shared_stats_report.h"
#include "base/system/parallel.h"
#include "report/page/capture_json.h"

namespace sonde {

namespace {

std::vector<RankTurns> turns_of(const Facts& facts) {
  if (!facts.steps || facts.steps->steady.empty()) return {};
  return turns_by_rank(facts.trace, *facts.steps);
}

Timeline all_tracks(const Facts& facts, const std::vector<RankTurns>& turns) {
  return timeline_of({facts.trace, facts.gpus, facts.kernel_classes, facts.communication, facts.api_kinds, facts.run,
                      turns, facts.steps ? facts.steps->slow_iterations : 0});
}

ModuleChoice modules_by(ReportParts parts) {
  ModuleChoice choice;
  choice.exact_names = parts.exact_names;
  return choice;
}

/// Rows of a tree with exact names, so that a page grows little. More are for `sonde report --exact-names`.
constexpr size_t kMaxExactModules = 2000;

std::optional<ModuleTree> exact_modules_of(const Trace& trace, ReportParts parts) {
  if (!parts.timeline || parts.exact_names) return std::nullopt;
  ModuleChoice choice;
  choice.exact_names = true;
  ModuleTree tree = module_tree(trace, choice);
  if (tree.modules.size() > kMaxExactModules) return std::nullopt;
  return tree;
}

}  // namespace

ReportSource::ReportSource(std::string shown_as, const Trace& run, std::optional<KernelJoin> join, ReportParts parts,
                           std::optional<RunWithoutRecorder> without)
    : label(std::move(shown_as)), trace(run), facts(run, std::move(join)), turns(turns_of(facts)) {
  if (without) judged.emplace(without->trace, std::move(without->join), std::move(without->recorder));
  const auto reports = stats_reports();
  if (parts.tables) tables.resize(reports.size());
  // The diagnosis takes longest by far and must not wait: rules build on one another.
  constexpr size_t kOthers = 5;
  parallel_for(kOthers + tables.size(), [&](size_t i) {
    switch (i) {
      case 0: diagnosis = diagnose(judged_facts()); break;
      case 1:
        if (parts.timeline) timeline = all_tracks(facts, turns);
        break;
      case 2: modules = module_tree(trace, modules_by(parts)); break;
      case 3: summary = summarize(trace); break;
      case 4: exact_modules = exact_modules_of(trace, parts); break;
      default: tables[i - kOthers] = stats_table(reports[i - kOthers], trace);
    }
  });
  if (exact_modules && exact_modules->modules.size() == modules.modules.size()) exact_modules.reset();
}

Fields report_fields() {
  Fields fields = diagnosis_fields() | summary_fields() | kModuleFields | kCaptureFields | kernel_join_fields() |
                  launch_occupancy_fields() | timeline_fields() | gate::record_fields();
  for (const StatsReport& report : stats_reports()) fields |= report.fields({});
  return fields;
}

}  // namespace sonde
