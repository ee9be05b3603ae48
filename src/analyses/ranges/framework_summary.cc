#include "analyses/ranges/framework_summary.h"

#include <algorithm>
#include <numeric>

#include "analyses/ranges/range_label.h"
#include "analyses/ranges/range_work.h"
#include "analyses/tables/grouping.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// Times of each range: its own, and its own with that of all ranges of its domain inside it.
struct RangeTimes {
  Longs device_self;
  Longs device_total;
  Longs host_children;
};

/// Times of all ranges of a name.
struct Sums {
  int64_t device_self = 0;
  int64_t device_total = 0;
  int64_t host_self = 0;
  int64_t host_total = 0;
  int64_t calls = 0;
};

struct Names {
  Grouping<NameId> groups;
  std::vector<Sums> sums;
};

bool is_of_kind(const Trace& trace, DomainId domain, DomainKind kind) {
  return domain < trace.domains.size() && trace.domains[domain].kind == kind;
}

Longs device_self_times(const Trace& trace, DomainKind kind) {
  Longs self(row_count(trace.ranges), 0);
  for (const DomainLinks& domain : trace.range_links) {
    if (!is_of_kind(trace, domain.domain, kind)) continue;
    for_each_launched(trace, [&](const GpuOps& ops, Row row) {
      const Row range = domain.of_api[ops.launch[row]];
      if (range != kNone) self[range] += ops.end[row] - ops.start[row];
    });
  }
  return self;
}

RangeTimes times_of_ranges(const Trace& trace, DomainKind kind) {
  const Ranges& r = trace.ranges;
  RangeTimes times{device_self_times(trace, kind), {}, Longs(row_count(r), 0)};
  times.device_total = times.device_self;
  fold_into_parents(r.parent, [&](Row parent, Row child) {
    times.device_total[parent] += times.device_total[child];
    if (is_closed(r, child)) times.host_children[parent] += r.end[child] - r.start[child];
  });
  return times;
}

Names sum_by_name(const Trace& trace, DomainKind kind) {
  const Ranges& r = trace.ranges;
  const RangeTimes times = times_of_ranges(trace, kind);
  Names names;
  for (Row row = 0; row < row_count(r); ++row) {
    if (!is_of_kind(trace, r.domain[row], kind) || !is_closed(r, row)) continue;
    const uint32_t group = names.groups.group_of(r.name[row]);
    if (group == names.sums.size()) names.sums.emplace_back();
    Sums& sums = names.sums[group];
    const int64_t host = r.end[row] - r.start[row];
    sums.device_self += times.device_self[row];
    sums.device_total += times.device_total[row];
    sums.host_self += std::max<int64_t>(host - times.host_children[row], 0);
    sums.host_total += host;
    ++sums.calls;
  }
  return names;
}

/// A profile without any GPU operation says nothing of device time.
bool has_gpu_work(const Trace& trace) {
  size_t rows = 0;
  for_each_gpu_table(trace, [&](const auto& ops) { rows += row_count(ops); });
  return rows > 0;
}

void add_times(Table& table, const std::vector<Sums>& sums, std::string name, int64_t Sums::* time, bool known) {
  auto& column = table.integers(std::move(name), Unit::nanoseconds);
  for (const Sums& s : sums) column.push_back(known ? s.*time : kUnknown);
}

void add_share(Table& table, const std::vector<Sums>& sums, std::string name, int64_t Sums::* time) {
  double total = 0;
  for (const Sums& s : sums) total += static_cast<double>(s.*time);
  auto& column = table.reals(std::move(name), Unit::percent, 1);
  for (const Sums& s : sums) column.push_back(total > 0 ? 100 * static_cast<double>(s.*time) / total : kAbsent);
}

void add_average(Table& table, const std::vector<Sums>& sums, std::string name, int64_t Sums::* time, bool known) {
  auto& column = table.reals(std::move(name), Unit::nanoseconds, 1);
  for (const Sums& s : sums) {
    column.push_back(known ? static_cast<double>(s.*time) / static_cast<double>(s.calls) : kAbsent);
  }
}

std::vector<Row> order_of(const std::vector<Sums>& sums, const Column::Texts& names) {
  std::vector<Row> order(sums.size());
  std::iota(order.begin(), order.end(), Row{0});
  std::ranges::sort(order, {},
                    [&](Row row) { return std::tuple(-sums[row].device_self, -sums[row].host_self, names[row]); });
  return order;
}

}  // namespace

void add_framework_summary(const Trace& trace, DomainKind kind, Table& table) {
  const Names names = sum_by_name(trace, kind);
  const bool device = has_gpu_work(trace);
  add_share(table, names.sums, "Device Self", &Sums::device_self);
  add_times(table, names.sums, "Device Self Time", &Sums::device_self, device);
  add_times(table, names.sums, "Device Total Time", &Sums::device_total, device);
  add_average(table, names.sums, "Device Avg", &Sums::device_total, device);
  add_share(table, names.sums, "Host Self", &Sums::host_self);
  add_times(table, names.sums, "Host Self Time", &Sums::host_self, true);
  add_times(table, names.sums, "Host Total Time", &Sums::host_total, true);
  add_average(table, names.sums, "Host Avg", &Sums::host_total, true);
  auto& calls = table.integers("Calls");
  for (const Sums& s : names.sums) calls.push_back(s.calls);
  auto& texts = table.texts("Name");
  for (const NameId name : names.groups.keys()) texts.push_back(trace.name(name));
  table.select_rows(order_of(names.sums, texts));
}

}  // namespace sonde
