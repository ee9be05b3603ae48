#include "gate/record/record_run.h"

#include "analyses/kernels/launch_occupancy.h"
#include "base/system/parallel.h"
#include "gate/record/conditions_of.h"
#include "gate/record/record_report.h"
#include "gate/record/recorded.h"
#include "gate/record/run_part.h"

namespace sonde::gate {
namespace {

void record_timeline(const Trace& trace, RunRecord& record) {
  const RunPart part(trace);
  record.recorded = recorded_of(trace);
  record.avg_kernel_ns = mean_kernel_ns(trace);
  record.wall_ns = part.run.second - part.run.first;
  record.extent_ns = part.extent.second - part.extent.first;
  record.steps = part.steps;
  for (const Span& step : part.windows) record.step_ns.push_back(step.second - step.first);
  if (part.steps > 0) record.conditions["steps_by"] = part.steps_by_range ? "range" : "launches";
  parallel_for(5, [&](size_t i) {
    switch (i) {
      case 0: record.idle = idle_groups(part); break;
      case 1: record.work = work_groups(part); break;
      case 2: record.gpus = gpus_of_run(part); break;
      case 3: record.shapes = kernel_shapes(part); break;
      default: record.calls = call_groups(part); record.graph_nodes = graph_nodes(part);
    }
  });
}

}  // namespace

Fields record_fields() {
  return kModuleFields | launch_occupancy_fields() | kConditionFields |
         Fields{Field::allocations, Field::counters, Field::kernel_profiles, Field::metric_instances};
}

RunRecord record_run(const Trace& trace) {
  RunRecord record;
  if (!trace.ranks.empty()) record.source = trace.ranks.front().file;
  record.conditions = conditions_of(trace);
  if (trace.kernel_profiles.empty()) {
    record_timeline(trace, record);
  } else {
    record_report(trace, record);
  }
  return record;
}

}  // namespace sonde::gate
