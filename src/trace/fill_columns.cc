#include <algorithm>
#include <string_view>

#include "trace/columns.h"
#include "trace/link.h"

namespace sonde {
namespace {

/// Gives the columns a row for every event of their table.
template <typename... Columns>
void fill(size_t rows, Columns&... columns) {
  (columns.resize(rows, absent_value<typename Columns::value_type>()), ...);
}

void fill_gpu_operations(Trace& t) {
  const auto common = [&](GpuOps& ops) {
    if (t.fields.has(Field::streams)) fill(row_count(ops), ops.stream);
    if (t.fields.has(Field::launches)) ops.correlation.resize(row_count(ops), 0);
  };
  for_each_gpu_table(t, common);
  common(t.syncs);
}

void fill_kernels(Trace& t) {
  Kernels& k = t.kernels;
  const size_t rows = row_count(k);
  fill(rows, k.name);
  if (t.fields.has(Field::kernel_short_names)) fill(rows, k.short_name);
  if (t.fields.has(Field::kernel_mangled_names)) fill(rows, k.mangled_name);
  if (t.fields.has(Field::kernel_grid)) fill(rows, k.grid, k.block);
  if (t.fields.has(Field::kernel_launch_details)) fill(rows, k.grid_id, k.cache_config, k.shared_limit_config);
  if (!t.fields.has(Field::kernel_resources)) return;
  fill(rows, k.registers, k.static_shared_bytes, k.dynamic_shared_bytes, k.local_bytes_per_thread, k.local_bytes_total,
       k.shared_bytes_executed, k.cluster, k.graph_node, k.launch_type);
}

void fill_memory_operations(Trace& t) {
  Copies& c = t.copies;
  fill(row_count(c), c.bytes, c.source, c.destination, c.address);
  c.kind.resize(row_count(c), 0);
  fill(row_count(t.sets), t.sets.bytes, t.sets.memory);
}

void fill_calls(Trace& t) {
  for (Calls* calls : {&t.api, &t.os_calls, &t.library_calls, &t.overheads}) {
    fill(row_count(*calls), calls->name, calls->thread, calls->call_class);
  }
  if (t.fields.has(Field::launches)) t.api.correlation.resize(row_count(t.api), 0);
  if (t.fields.has(Field::api_results)) fill(row_count(t.api), t.api.result);
}

/// Gives events whose source has no name for them one, so that names can be used as indexes everywhere.
void name_unnamed(Trace& t, Ids& column, std::string_view name, std::string_view table) {
  const int64_t unnamed = std::ranges::count(column, kNone);
  if (unnamed == 0) return;
  std::ranges::replace(column, kNone, t.names.intern(name));
  if (!name.empty()) t.log.add(Issue::unnamed_event, table, unnamed);
}

void name_unnamed(Trace& t) {
  constexpr std::string_view kUnnamed = "[unnamed]";
  name_unnamed(t, t.kernels.name, kUnnamed, "kernels");
  name_unnamed(t, t.kernels.short_name, kUnnamed, "short names of kernels");
  name_unnamed(t, t.api.name, kUnnamed, "API calls");
  name_unnamed(t, t.os_calls.name, kUnnamed, "OS runtime calls");
  name_unnamed(t, t.library_calls.name, kUnnamed, "library calls");
  name_unnamed(t, t.overheads.name, kUnnamed, "profiler overheads");
  // A program may open a range without a text.
  name_unnamed(t, t.ranges.name, {}, {});
  name_unnamed(t, t.marks.name, {}, {});
}

}  // namespace

void fill_columns(Trace& trace) {
  fill_gpu_operations(trace);
  fill_kernels(trace);
  fill_memory_operations(trace);
  fill_calls(trace);
  name_unnamed(trace);
}

}  // namespace sonde
