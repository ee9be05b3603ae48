#include "importers/nsys_report_part.h"

#include <algorithm>

#include <fmt/format.h>

namespace sonde::nsys {
namespace {

constexpr std::array<std::string_view, kReportTables> kTableNames = {
#define SONDE_REPORT_TABLE(id, table) table,
#include "importers/nsys_report_tables.inc"
#undef SONDE_REPORT_TABLE
};

struct TypeName {
  int64_t type;
  std::string_view name;
};

/// ENUM_NSYS_EVENT_TYPE: what no sample shows in a report, and a reader would miss.
constexpr auto kUnreadTypes = std::to_array<TypeName>({
    {58, "GPU context switches"},
    {61, "processor counters"},
    {81, "processor counters"},
    {89, "OpenACC"},
    {114, "OpenMP"},
    {117, "device memory usage"},
    {119, "page faults of processors"},
    {120, "page faults of GPUs"},
    {121, "network counters"},
    {129, "memory pools"},
    {133, "clones of CUDA graphs"},
    {138, "generic events"},
    {149, "parameters of graph nodes"},
    {151, "CUDA host functions"},
});

}  // namespace

std::string_view name_of(ReportTable table) { return kTableNames[static_cast<size_t>(table)]; }

ReportWants::ReportWants(const NsysRun& run)
    : kernels(run.wants(Field::kernels)),
      short_names(run.wants(Field::kernel_short_names)),
      mangled_names(run.wants(Field::kernel_mangled_names)),
      grid(run.wants(Field::kernel_grid)),
      resources(run.wants(Field::kernel_resources)),
      copies(run.wants(Field::copies)),
      sets(run.wants(Field::sets)),
      graph_launches(run.wants(Field::graph_launches)),
      syncs(run.wants(Field::syncs)),
      cuda_events(run.wants(Field::cuda_events)),
      streams(run.wants(Field::streams)),
      launches(run.wants(Field::launches)),
      api(run.wants(Field::api)),
      results(run.wants(Field::api_results)),
      os_calls(run.wants(Field::os_calls)),
      library_calls(run.wants(Field::library_calls)),
      overheads(run.wants(Field::overheads)),
      graph_events(run.wants(Field::graph_events)),
      ranges(run.wants(Field::ranges)),
      marks(run.wants(Field::marks)),
      samples(run.wants(Field::samples)),
      switches(run.wants(Field::scheduling)),
      diagnostics(run.wants(Field::diagnostics)),
      chains(run.wants(Field::call_chains)),
      inventory(run.wants(Field::inventory)) {}

std::string describe(const EventKind& kind) {
  const auto* named = std::ranges::find(kUnreadTypes, kind.type, &TypeName::type);
  std::string text = fmt::format("type {}", kind.type);
  if (kind.event_class >= 0) text += fmt::format(", class {}", kind.event_class);
  return named == kUnreadTypes.end() ? text : fmt::format("{}: {}", text, named->name);
}

}  // namespace sonde::nsys
