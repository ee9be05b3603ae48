#pragma once

#include <span>
#include <string>

#include "analyses/operators/operator_calls.h"
#include "analyses/tables/table.h"

namespace sonde {

/// What calls of operators took and did. CallWork is summed with the time of the calls of which it is known, so that
/// rates are those of these calls.
struct OperatorSums {
  int64_t calls = 0;
  int64_t kernels = 0;
  int64_t kernel_ns = 0;

  double flop = 0;
  double flop_ns = 0;
  int64_t flop_calls = 0;
  double bytes = 0;
  double bytes_ns = 0;
  int64_t bytes_calls = 0;
  double flop_with_bytes = 0;  ///< of calls of which both are known
  double bytes_with_flop = 0;

  double roofline_ns = 0;  ///< least time of calls of which it is known
  double roofed_ns = 0;    ///< what these took
  double memory_ns = 0;    ///< of the least time, where memory decides it

  double peak_ns = 0;        ///< FLOP at the peak of their precision
  double peak_known_ns = 0;  ///< time of calls of which that is known
  double math_ns = 0;        ///< time of all calls whose work counts in FLOP

  void add(const OperatorShape& shape, int64_t calls_of_it, int64_t kernels_of_it, int64_t ns);
  void add(const OperatorShape& shape, const OperatorCall& call) { add(shape, 1, call.kernels, call.kernel_ns); }
  OperatorSums& operator+=(const OperatorSums& other);

  [[nodiscard]] double teraflop_per_second() const;  ///< kAbsent if not known, as the others
  [[nodiscard]] double terabytes_per_second() const;
  [[nodiscard]] double flop_per_byte() const;
  [[nodiscard]] double percent_of_roofline() const;
};

/// Sum of the durations of all kernels.
[[nodiscard]] int64_t kernel_time(const Trace& trace);

/// Adds the columns that all reports on operators have: times, work of a call, rates, share of the roofline. `whole_ns`
/// is what Time (%) refers to.
void add_operator_columns(Table& table, std::span<const OperatorSums> rows, int64_t whole_ns);

/// The words of the columns of add_operator_columns(), for descriptions of reports.
#define SONDE_OPERATOR_COLUMNS                                                                       \
  "Time (%)          share of the time of all kernels\n"                                             \
  "GPU Time          sum of the durations of the kernels\n"                                          \
  "Calls, Kernels    calls that launched kernels themselves, and these kernels\n"                    \
  "GPU Avg           GPU Time of one call\n"                                                         \
  "FLOP Avg, Bytes Avg  work of one call: floating-point operations, and the fewest bytes to move\n" \
  "Intensity         FLOP per byte\n"                                                                \
  "Compute, Memory   FLOP and bytes per second of GPU Time\n"                                        \
  "Roofline (%)      least time that the peak rates of the GPU allow, as a share of GPU Time\n"      \
  "Known (%)         part of GPU Time for which Roofline is known\n"                                 \
  "Bound             which peak sets the least time: compute or memory\n"

}  // namespace sonde
