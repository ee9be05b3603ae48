#include "analyses/call_sum.h"
#include "analyses/stats_report.h"
#include "analyses/sum_table.h"

namespace sonde {
namespace {

Fields fields(const ReportArguments&) { return {Field::api}; }

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Groups<std::string_view> groups;
  add_api_calls(trace, groups);
  Table table;
  fill_time_sum(table, groups.distributions(), "Num Calls", {{"Name", groups.keys()}});
  return table;
}

}  // namespace

extern const StatsReport cuda_api_sum_report;
const StatsReport cuda_api_sum_report{
    "cuda_api_sum",
    "cuda_api_sum",
    "CUDA API Summary",
    "CUDA runtime and driver calls by name: share of all time in them, total, number, and the distribution.",
    "CUDA trace",
    true,
    fields,
    run};

}  // namespace sonde
