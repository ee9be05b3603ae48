#include "gate/record/record_run.h"

#include "analyses/kernels/launch_occupancy.h"
#include "analyses/steps/run_extent.h"
#include "base/system/parallel.h"
#include "findings/checks.h"
#include "gate/record/conditions_of.h"
#include "gate/record/range_times.h"
#include "gate/record/record_report.h"
#include "gate/record/recorded.h"
#include "gate/record/run_part.h"

namespace sonde::gate {
namespace {

PartOfRun kind_of(const RunPart& part) {
  if (part.steps > 0) return PartOfRun::steps;
  return part.whole_run ? PartOfRun::run : PartOfRun::gpu_work;
}

void record_timeline(const Trace& trace, const RunPart& part, RunRecord& record) {
  record.recorded = recorded_of(trace);
  record.wall_ns = part.run.second - part.run.first;
  record.extent_ns = part.extent.second - part.extent.first;
  record.steps = part.steps;
  record.part = kind_of(part);
  for (const Span& step : part.windows) record.step_ns.push_back(step.second - step.first);
  if (part.steps > 0) record.conditions["steps_by"] = part.steps_by_range ? "range" : "launches";
  parallel_for(6, [&](size_t i) {
    switch (i) {
      case 0: record.idle = idle_groups(part); break;
      case 1: record.work = work_groups(part); break;
      case 2: record.gpus = gpus_of_run(part); break;
      case 3: record.shapes = kernel_shapes(part); break;
      case 4: record_ranges(part, record); break;
      default: record.calls = call_groups(part); record.graph_nodes = graph_nodes(part);
    }
  });
}

RunRecord begin_record(const Trace& trace) {
  RunRecord record;
  if (!trace.ranks.empty()) record.source = trace.ranks.front().file;
  record.conditions = conditions_of(trace);
  record.avg_kernel_ns = mean_kernel_ns(trace);
  return record;
}

std::vector<Flaw> flaws_of(const Trace& trace) {
  std::vector<Flaw> flaws;
  for (FailedCheck& failed : failed_checks(Facts(trace))) {
    const bool loses_work = failed.check == Check::records_complete;
    flaws.push_back({std::move(failed.text_id), std::move(failed.arguments), loses_work});
  }
  return flaws;
}

}  // namespace

Fields record_fields() {
  return kModuleFields | kRecorderFields | launch_occupancy_fields() | kConditionFields |
         Fields{Field::allocations, Field::counters, Field::kernel_profiles, Field::metric_instances};
}

RunRecord record_run(const Trace& trace) {
  RunRecord record = begin_record(trace);
  if (trace.kernel_profiles.empty()) {
    record_timeline(trace, RunPart(trace), record);
  } else {
    record_report(trace, record);
  }
  return record;
}

RunRecord record_part(const Trace& trace, PartOfRun part) {
  if (!trace.kernel_profiles.empty()) return record_run(trace);
  RunRecord record = begin_record(trace);
  record_timeline(trace, RunPart(trace, part, part == PartOfRun::run ? part : PartOfRun::gpu_work), record);
  const Span run = run_extent(trace);
  if (const auto work = gpu_work_extent(trace)) {
    record.setup = {.before_ns = work->first - run.first, .after_ns = run.second - work->second};
  }
  record.flaws = flaws_of(trace);
  return record;
}

}  // namespace sonde::gate
