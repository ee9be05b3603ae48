#include "analyses/gpus/communication.h"
#include "analyses/tables/report_table.h"

namespace sonde {

extern const StatsReport communication_sum_report;

namespace communication_sum {
namespace {

Fields fields(const ReportArguments&) { return kGpuWork | Fields{Field::streams, Field::kernel_resources}; }

using Rows = std::vector<std::pair<std::string, TimeBreakdown>>;

void add_times(Table& table, const std::string& name, const Rows& rows, int64_t TimeBreakdown::* part) {
  auto& column = table.integers(name, Unit::nanoseconds);
  for (const auto& [place, b] : rows) column.push_back(b.*part);
}

void add_share(Table& table, const std::string& name, const Rows& rows, int64_t TimeBreakdown::* part,
               int64_t TimeBreakdown::* whole) {
  auto& column = table.reals(name, Unit::percent, 1);
  for (const auto& [place, b] : rows) {
    column.push_back(b.*whole > 0 ? 100 * static_cast<double>(b.*part) / static_cast<double>(b.*whole) : kAbsent);
  }
}

Rows rows_of(const Trace& trace) {
  const Gpus gpus = gpus_of(trace);
  Rows rows;
  TimeBreakdown whole;
  const auto activity = gpu_activity(trace, gpus, communication_kinds(trace));
  for (size_t g = 0; g < activity.size(); ++g) {
    rows.emplace_back(gpus.gpus[g].place, break_down(activity[g]));
    whole += rows.back().second;
  }
  if (rows.size() > 1) rows.emplace_back("all GPUs", whole);
  return rows;
}

Result<Table> run(const Trace& trace, const ReportArguments&) {
  const Rows rows = rows_of(trace);
  using B = TimeBreakdown;
  Table table = table_of(communication_sum_report);
  add_times(table, "Total Time", rows, &B::total_ns);
  add_times(table, "Idle Time", rows, &B::idle_ns);
  add_times(table, "Compute Time", rows, &B::compute_ns);
  add_times(table, "Exposed Comm", rows, &B::exposed_communication_ns);
  add_times(table, "Exposed Copies", rows, &B::exposed_copies_ns);
  add_times(table, "Comm Time", rows, &B::communication_ns);
  add_share(table, "Comp Comm Overlap", rows, &B::overlap_ns, &B::communication_ns);
  add_share(table, "Busy", rows, &B::busy_ns, &B::total_ns);
  add_share(table, "Compute", rows, &B::compute_ns, &B::total_ns);
  add_share(table, "Exposed Comm", rows, &B::exposed_communication_ns, &B::total_ns);
  auto& places = table.texts("GPU");
  for (const auto& [place, b] : rows) places.push_back(table.keep(place));
  return table;
}

}  // namespace
}  // namespace communication_sum

const StatsReport communication_sum_report{
    .name = "communication_sum",
    .usage = "communication_sum",
    .title = "GPU Time by Compute and Communication",
    .description = R"(How each GPU, and all GPUs together, spent the time from the first operation to the last.

Total Time         Idle Time + Compute Time + Exposed Comm + Exposed Copies, to the nanosecond
Idle Time          no operation ran
Compute Time       a kernel that does not communicate ran, or a graph that was traced as a whole
Exposed Comm       communication ran without concurrent computation
Exposed Copies     copies or memsets ran without concurrent computation or communication
Comm Time          communication ran: kernels of NCCL, RCCL and similar libraries, or copies from one GPU to another
Comp Comm Overlap  part of Comm Time with concurrent computation
Busy, Compute, Exposed Comm (%)  percentages of Total Time
GPU                the GPU and its rank

Each nanosecond counts once, even if several operations run in it. A communication kernel starts when its GPU enters the
collective, so Comm Time includes the wait for other GPUs; collective_trace separates it from the transfer. Idle Time,
Compute Time, the rest of the busy time and Comp Comm Overlap correspond to idle, compute and non-compute time and overlap
percentage in Holistic Trace Analysis. This report is specific to Sonde.)",
    .data = "GPU",
    .in_default_set = false,
    .fields = communication_sum::fields,
    .run = communication_sum::run,
};

}  // namespace sonde
