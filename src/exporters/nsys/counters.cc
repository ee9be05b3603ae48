#include <array>
#include <cmath>

#include "exporters/nsys/sections.h"

namespace sonde::nsys_export {
namespace {

/// The type ids that Nsight gives its GPU metrics: the GPU's number is their low byte.
constexpr int64_t kGpuMetricsType = 0x1000100000000;

int64_t type_of(const Counter& counter) {
  return counter.type_id.value_or(kGpuMetricsType | counter.device.value_or(0));
}

int64_t metric_of(const Context& c, const Counter& counter) {
  return counter.metric_id.value_or(&counter - c.trace.counters.data());
}

Cell text_or_empty(const Context& c, NameId name) {
  return name == kNone ? Cell(std::string_view("")) : Cell(c.trace.name(name));
}

using Counters = std::vector<Counter>;
using CounterColumn = ColumnOf<Counters>;
constexpr std::array kCounterColumns = {
    CounterColumn{"typeId", kIntegerSet,
                  [](const Context&, const Counters& all, size_t row) { return Cell(type_of(all[row])); }},
    CounterColumn{"sourceId", kIntegerSet, [](const Context&, const Counters&, size_t) { return Cell(int64_t{0}); }},
    CounterColumn{"typeName", kTextSet,
                  [](const Context& c, const Counters& all, size_t row) { return text_or_empty(c, all[row].source); }},
    CounterColumn{"metricId", kIntegerSet,
                  [](const Context& c, const Counters& all, size_t row) { return Cell(metric_of(c, all[row])); }},
    CounterColumn{"metricName", kTextSet,
                  [](const Context& c, const Counters& all, size_t row) { return text_or_empty(c, all[row].name); }},
};

const Counter& counter_of(const Context& c, const CounterValues& v, size_t row) {
  return c.trace.counters[v.counter[row]];
}

/// Whole numbers are stored as such: the column is declared INTEGER.
Cell value_of(const Context&, const CounterValues& v, size_t row) {
  const double value = v.value[row];
  return std::trunc(value) == value && std::abs(value) < 9e15 ? Cell(static_cast<int64_t>(value)) : Cell(value);
}

using ValueColumn = ColumnOf<CounterValues>;
constexpr std::array kValueColumns = {
    ValueColumn{"rawTimestamp", kInteger},
    ValueColumn{"timestamp", kInteger, start_of<CounterValues>},
    ValueColumn{
        "typeId", kIntegerSet,
        [](const Context& c, const CounterValues& v, size_t row) { return Cell(type_of(counter_of(c, v, row))); }},
    ValueColumn{
        "metricId", kIntegerSet,
        [](const Context& c, const CounterValues& v, size_t row) { return Cell(metric_of(c, counter_of(c, v, row))); }},
    ValueColumn{"value", kIntegerSet, value_of},
};

}  // namespace

Status write_counter_names(Output& out, const Context& c) {
  const Counters& counters = c.trace.counters;
  return write_rows<Counters>(out, "TARGET_INFO_GPU_METRICS", kCounterColumns, c, counters, counters.size());
}

Status write_counters(Output& out, const Context& c) {
  const Trace& t = c.trace;
  return write_rows<CounterValues>(out, "GPU_METRICS", kValueColumns, c, t.counter_values, row_count(t.counter_values),
                                   [&](size_t row) { return !std::isnan(t.counter_values.value[row]); });
}

}  // namespace sonde::nsys_export
