#include "importers/nsys/tables.h"

/// GPU_METRICS: values over time. A metric's id means something together with its type id only.
namespace sonde::nsys {
namespace {

using MetricKey = std::pair<int64_t, int64_t>;  ///< type id, metric id

/// The lowest byte of a type id is the number of the GPU that it was sampled on.
int64_t gpu_of_type(int64_t type_id) { return type_id & 0xFF; }

std::map<MetricKey, uint32_t> read_metrics(NsysFile& file) {
  std::map<MetricKey, uint32_t> ids;
  TableQuery query = file.query("TARGET_INFO_GPU_METRICS");
  const Cell type = query.column("typeId");
  const Cell type_name = query.column("typeName");
  const Cell metric = query.column("metricId");
  const Cell metric_name = query.column("metricName");
  Trace& t = file.trace();
  file.each_row(query, [&](auto& row) {
    const MetricKey key{row.integer(type, 0), row.integer(metric, 0)};
    if (!ids.try_emplace(key, static_cast<uint32_t>(t.counters.size())).second) return;
    Counter& c = t.counters.emplace_back();
    c.name = t.names.intern(row.text(metric_name));
    c.source = t.names.intern(row.text(type_name));
    c.rank = file.rank();
    c.device = gpu_of_type(key.first);
    c.type_id = key.first;
    c.metric_id = key.second;
  });
  return ids;
}

}  // namespace

void read_counters(NsysFile& file) {
  TableQuery query = file.query("GPU_METRICS");
  if (!file.wants(Field::counters) || !query.exists() || !file.has_table("TARGET_INFO_GPU_METRICS")) return;
  const auto metrics = read_metrics(file);
  const Cell time = query.column({"timestamp", "start"});
  const Cell type = query.column("typeId");
  const Cell metric = query.column("metricId");
  const Cell value = query.column("value");
  auto parts = file.scan<Part<CounterValues>>(query, [&](auto& row, Part<CounterValues>& part) {
    const auto known = metrics.find({row.integer(type, 0), row.integer(metric, 0)});
    if (known == metrics.end()) return;
    row.put(time, part.rows.start, int64_t{0});
    part.rows.counter.push_back(known->second);
    part.rows.value.push_back(row.real(value, absent_value<double>()));
  });
  for (auto& part : parts) file.append(std::move(part.rows), {}, file.trace().counter_values, {});
}

}  // namespace sonde::nsys
