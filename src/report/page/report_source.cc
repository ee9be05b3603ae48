#include "report/page/report_source.h"

#include <utility>

#include "analyses/kernel_join.h"
#include "analyses/launch_occupancy.h"
#include "analyses/stats_report.h"
#include "analyses/timeline/timeline.h"
#include "report/page/capture_json.h"

namespace sonde {

ReportSource::ReportSource(std::string shown_as, const Trace& run, std::optional<KernelJoin> join)
    : label(std::move(shown_as)),
      trace(run),
      facts(run, std::move(join)),
      diagnosis(diagnose(facts)),
      summary(summarize(run)),
      modules(module_tree(run, {})) {}

Fields report_fields() {
  Fields fields = diagnosis_fields() | summary_fields() | kModuleFields | kCaptureFields | kernel_join_fields() |
                  launch_occupancy_fields() | timeline_fields();
  for (const StatsReport& report : stats_reports()) fields |= report.fields({});
  return fields;
}

}  // namespace sonde
