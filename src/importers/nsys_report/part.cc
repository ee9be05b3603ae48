#include "importers/nsys_report/part.h"

#include <algorithm>

#include <fmt/format.h>

namespace sonde::nsys {
namespace {

constexpr std::array<std::string_view, kReportTables> kTableNames = {
#define SONDE_REPORT_TABLE(id, table) table,
#include "importers/nsys_report/tables.inc"
#undef SONDE_REPORT_TABLE
};

struct NumberName {
  int64_t number;
  std::string_view name;
};

/// ENUM_NSYS_EVENT_TYPE: what no sample shows in a report, and a reader would miss.
constexpr auto kUnreadTypes = std::to_array<NumberName>({
    {58, "GPU context switches"},
    {61, "CPU counters"},
    {81, "CPU counters"},
    {89, "OpenACC"},
    {114, "OpenMP"},
    {117, "device memory usage"},
    {119, "CPU page faults"},
    {120, "GPU page faults"},
    {121, "network counters"},
    {129, "memory pools"},
    {133, "CUDA graph clones"},
    {138, "generic events"},
    {149, "parameters of graph nodes"},
    {151, "CUDA host functions"},
});

/// ENUM_NSYS_EVENT_CLASS, the same.
constexpr auto kUnreadClasses = std::to_array<NumberName>({
    {2, "OpenGL"},
    {12, "CUDA initialization errors"},
    {48, "OpenACC"},
    {53, "Vulkan"},
    {78, "OpenMP"},
    {83, "video encoding"},
    {86, "video decoding"},
    {96, "CUDA graph clones"},
    {102, "just-in-time compilation"},
});

std::string_view name_in(std::span<const NumberName> names, int64_t number) {
  const auto found = std::ranges::find(names, number, &NumberName::number);
  return found == names.end() ? std::string_view() : found->name;
}

}  // namespace

std::string_view name_of(ReportTable table) { return kTableNames[static_cast<size_t>(table)]; }

ReportWants::ReportWants(const NsysRun& run)
    : kernels(run.wants(Field::kernels)),
      short_names(run.wants(Field::kernel_short_names)),
      mangled_names(run.wants(Field::kernel_mangled_names)),
      grid(run.wants(Field::kernel_grid)),
      resources(run.wants(Field::kernel_resources)),
      launch_details(run.wants(Field::kernel_launch_details)),
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
  std::string_view name = name_in(kUnreadTypes, kind.type);
  std::string text = fmt::format("type {}", kind.type);
  if (kind.event_class >= 0) {
    text += fmt::format(", class {}", kind.event_class);
    name = name_in(kUnreadClasses, kind.event_class);
  }
  return name.empty() ? text : fmt::format("{}: {}", text, name);
}

}  // namespace sonde::nsys
