#pragma once

#include <tuple>
#include <type_traits>

#include "record/rounds/parts.h"
#include "record/trace_of.h"
#include "trace/columns.h"
#include "trace/link.h"

namespace sonde::record {

/// Joins the parts of a recording's trace.
class WholeTrace {
 public:
  [[nodiscard]] PartTaker taker() {
    return [this](const Trace& part) {
      std::apply([&](auto... table) { (append(rows_.*table, part.*table), ...); }, kTables);
    };
  }

  /// All rows, sorted.
  void put_into(Trace& trace) {
    std::apply([&](auto... table) { ((trace.*table = std::move(rows_.*table)), ...); }, kTables);
    order_tables(trace);
  }

 private:
  static constexpr auto kTables =
      std::tuple(&Trace::kernels, &Trace::copies, &Trace::sets, &Trace::graph_launches, &Trace::syncs, &Trace::api,
                 &Trace::ranges, &Trace::marks, &Trace::os_calls, &Trace::library_calls, &Trace::overheads,
                 &Trace::samples, &Trace::switches, &Trace::counter_values, &Trace::allocations, &Trace::page_faults,
                 &Trace::cuda_events, &Trace::graph_events, &Trace::nccl_operations, &Trace::diagnostics);

  template <typename Table>
  static void append(Table& whole, const Table& part) {
    append_rows(whole, Table(part));
  }

  Trace rows_;
};

/// fill_trace() without another use of the slices.
[[nodiscard]] inline Tally fill_alone(Trace& trace, const Slices& slices, const Extent& extent, const PartTaker& take,
                                      const MeasureRequest& request = {}, size_t part_rows = kPartRows) {
  Symbolizer symbolizer(trace, slices);
  return fill_trace(trace, slices, symbolizer, extent, take, request, part_rows);
}

}  // namespace sonde::record
