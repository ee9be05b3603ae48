#include "report/page/report_source.h"

#include <utility>

#include "analyses/kernel_join.h"
#include "analyses/launch_occupancy.h"
#include "analyses/stats_report.h"
#include "analyses/timeline/timeline.h"
#include "base/parallel.h"
#include "report/page/capture_json.h"

namespace sonde {

ReportSource::ReportSource(std::string shown_as, const Trace& run, std::optional<KernelJoin> join, bool with_tables)
    : label(std::move(shown_as)), trace(run), facts(run, std::move(join)) {
  const auto reports = stats_reports();
  if (with_tables) tables.resize(reports.size());
  // The diagnosis takes longest by far and must not wait: rules build on one another.
  constexpr size_t kOthers = 3;
  parallel_for(kOthers + tables.size(), [&](size_t i) {
    switch (i) {
      case 0: diagnosis = diagnose(facts); break;
      case 1: modules = module_tree(trace, {}); break;
      case 2: summary = summarize(trace); break;
      default: tables[i - kOthers] = stats_table(reports[i - kOthers], trace);
    }
  });
}

Fields report_fields() {
  Fields fields = diagnosis_fields() | summary_fields() | kModuleFields | kCaptureFields | kernel_join_fields() |
                  launch_occupancy_fields() | timeline_fields();
  for (const StatsReport& report : stats_reports()) fields |= report.fields({});
  return fields;
}

}  // namespace sonde
