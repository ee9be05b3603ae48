#include "trace/link.h"

#include <algorithm>
#include <functional>
#include <map>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/system/parallel.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// Gives back how many rows ended before they began.
template <typename Table>
int64_t repair_durations(Table& table) {
  int64_t repaired = 0;
  for (size_t i = 0; i < table.end.size(); ++i) {
    if (table.end[i] == kUnknown || table.end[i] >= table.start[i]) continue;
    table.end[i] = table.start[i];
    ++repaired;
  }
  return repaired;
}

template <typename Table>
void sort_rows(Table& table) {
  if constexpr (requires {
                  table.domain;
                  table.end;
                }) {
    sort_by_nesting(table);
  } else {
    sort_by_start(table);
  }
}

/// What the tables hold that no report can place.
void note_oddities(Trace& trace) {
  constexpr auto kLastKind = static_cast<uint8_t>(CopyKind::unified_device_to_device);
  const Codes& kinds = trace.copies.kind;
  trace.log.add(Issue::open_range, {}, std::ranges::count(trace.ranges.end, kUnknown));
  trace.log.add(Issue::unknown_copy_kind, {}, std::ranges::count_if(kinds, [](uint8_t k) { return k > kLastKind; }));
}

/// Rows of `api` by (process, correlation id). Correlation ids of a process are nearly dense, so each process has a
/// plain array over its range of ids where that is not much larger than the number of its calls, else a hash map.
class CallIndex {
 public:
  explicit CallIndex(const Trace& trace) : trace_(trace), of_process_(trace.processes.size()) {
    measure();
    fill();
  }

  [[nodiscard]] Row find(ProcessId process, uint32_t correlation) const {
    if (process >= of_process_.size() || correlation == 0) return kNone;
    const OfProcess& p = of_process_[process];
    if (p.sparse) {
      const auto found = p.map.find(correlation);
      return found == p.map.end() ? kNone : found->second;
    }
    if (correlation < p.lowest || correlation - p.lowest >= p.rows.size()) return kNone;
    return p.rows[correlation - p.lowest];
  }

  [[nodiscard]] int64_t duplicates() const { return duplicates_; }

 private:
  struct OfProcess {
    uint32_t lowest = kNone;
    uint32_t highest = 0;
    size_t calls = 0;
    bool sparse = false;
    std::vector<Row> rows;
    boost::unordered_flat_map<uint32_t, Row> map;
  };
  /// Array slots per call up to which an array is smaller than a hash map of the same calls.
  static constexpr size_t kSlotsPerCall = 8;

  OfProcess* process_of(size_t row) {
    const ThreadId thread = trace_.api.thread[row];
    if (thread == kNone || trace_.api.correlation[row] == 0) return nullptr;
    const ProcessId process = trace_.threads[thread].process;
    return process < of_process_.size() ? &of_process_[process] : nullptr;
  }

  void measure() {
    for (size_t row = 0; row < trace_.api.correlation.size(); ++row) {
      OfProcess* p = process_of(row);
      if (p == nullptr) continue;
      p->lowest = std::min(p->lowest, trace_.api.correlation[row]);
      p->highest = std::max(p->highest, trace_.api.correlation[row]);
      ++p->calls;
    }
    for (OfProcess& p : of_process_) {
      if (p.calls == 0) continue;
      const size_t slots = static_cast<size_t>(p.highest) - p.lowest + 1;
      p.sparse = slots / kSlotsPerCall > p.calls;
      if (p.sparse) {
        p.map.reserve(p.calls);
      } else {
        p.rows.assign(slots, kNone);
      }
    }
  }

  void fill() {
    for (size_t row = 0; row < trace_.api.correlation.size(); ++row) {
      OfProcess* p = process_of(row);
      if (p == nullptr) continue;
      const uint32_t correlation = trace_.api.correlation[row];
      Row& slot = p->sparse ? p->map.try_emplace(correlation, kNone).first->second : p->rows[correlation - p->lowest];
      if (slot == kNone) {
        slot = static_cast<Row>(row);
      } else {
        ++duplicates_;
      }
    }
  }

  const Trace& trace_;
  std::vector<OfProcess> of_process_;
  int64_t duplicates_ = 0;
};

struct LaunchOddities {
  int64_t unlinked = 0;
  int64_t duplicates = 0;
};

/// The launching call of each row. Rows with correlation 0 are the driver's own doing, such as unified-memory
/// migrations: no call launched them. Gives back how many others found none.
int64_t link_table(const Trace& trace, const CallIndex& calls, GpuOps& ops) {
  int64_t unlinked = 0;
  ops.launch.clear();
  reserve_column(ops.launch, row_count(ops));
  for (size_t row = 0; row < row_count(ops); ++row) {
    const Row launch = calls.find(trace.streams[ops.stream[row]].process, ops.correlation[row]);
    ops.launch.push_back(launch);
    if (launch == kNone && ops.correlation[row] != 0) ++unlinked;
  }
  return unlinked;
}

LaunchOddities link_launches(Trace& trace) {
  if (!trace.fields.has(Field::launches) || !trace.fields.has(Field::streams)) return {};
  const CallIndex calls(trace);
  LaunchOddities oddities{.duplicates = calls.duplicates()};
  for_each_gpu_table(trace, [&](GpuOps& ops) { oddities.unlinked += link_table(trace, calls, ops); });
  link_table(trace, calls, trace.syncs);  // most wait for nothing that was launched
  return oddities;
}

}  // namespace

void order_tables(Trace& trace) {
  std::vector<std::function<void()>> work;
  std::map<std::string_view, int64_t> repaired;
  for_each_table(trace, [&](auto& table, std::string_view name) {
    work.emplace_back([&table, &count = repaired[name]] {
      if constexpr (requires { table.end; }) count = repair_durations(table);
      sort_rows(table);
    });
  });
  run_together(work);
  for_each_table(trace, [&](const auto&, std::string_view name) {
    trace.log.add(Issue::negative_duration, name, repaired[name]);
  });
}

void link(Trace& trace) {
  fill_columns(trace);
  order_tables(trace);
  note_oddities(trace);
  LaunchOddities launches;
  int64_t crossing = 0;
  parallel_for(2,
               [&](size_t i) { i == 0 ? void(launches = link_launches(trace)) : void(crossing = link_ranges(trace)); });
  link_nccl(trace);
  trace.log.add(Issue::unlinked_gpu_work, {}, launches.unlinked);
  trace.log.add(Issue::duplicate_correlation, {}, launches.duplicates);
  trace.log.add(Issue::crossing_ranges, {}, crossing);
}

}  // namespace sonde
