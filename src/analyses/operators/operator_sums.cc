#include "analyses/operators/operator_sums.h"

#include <array>

#include "trace/columns.h"

namespace sonde {
namespace {

double ratio_or_absent(double part, double whole) { return whole > 0 ? part / whole : kAbsent; }

struct OperatorColumn {
  std::string_view name;
  Unit unit;
  int decimals;
  double (*value)(const OperatorSums& row);
};

void add_column(Table& table, std::span<const OperatorSums> rows, const OperatorColumn& column) {
  auto& values = table.reals(std::string(column.name), column.unit, column.decimals);
  for (const OperatorSums& row : rows) values.push_back(column.value(row));
}

template <typename Value>
void add_counts(Table& table, std::span<const OperatorSums> rows, std::string name, Unit unit, Value value) {
  auto& values = table.integers(std::move(name), unit);
  for (const OperatorSums& row : rows) values.push_back(value(row));
}

double gigaflop_of_call(const OperatorSums& row) {
  return row.flop_calls > 0 ? row.flop / static_cast<double>(row.flop_calls) / 1e9 : kAbsent;
}

double megabytes_of_call(const OperatorSums& row) {
  return row.bytes_calls > 0 ? row.bytes / static_cast<double>(row.bytes_calls) / 1e6 : kAbsent;
}

double known_percent(const OperatorSums& row) {
  return 100 * ratio_or_absent(row.roofed_ns, static_cast<double>(row.kernel_ns));
}

constexpr auto kWorkColumns = std::to_array<OperatorColumn>({
    {"FLOP Avg (GFLOP)", Unit::none, 3, &gigaflop_of_call},
    {"Bytes Avg", Unit::megabytes, 3, &megabytes_of_call},
    {"Intensity", Unit::flop_per_byte, 1, [](const OperatorSums& row) { return row.flop_per_byte(); }},
    {"Compute (TFLOP/s)", Unit::none, 2, [](const OperatorSums& row) { return row.teraflop_per_second(); }},
    {"Memory (TB/s)", Unit::none, 3, [](const OperatorSums& row) { return row.terabytes_per_second(); }},
    {"Roofline", Unit::percent, 1, [](const OperatorSums& row) { return row.percent_of_roofline(); }},
    {"Known", Unit::percent, 1, &known_percent},
});

void add_bound(Table& table, std::span<const OperatorSums> rows) {
  auto& bounds = table.texts("Bound");
  for (const OperatorSums& row : rows) {
    if (row.roofed_ns <= 0) {
      bounds.emplace_back();
    } else {
      bounds.emplace_back(2 * row.memory_ns >= row.roofline_ns ? "memory" : "compute");
    }
  }
}

}  // namespace

void OperatorSums::add(const OperatorShape& shape, int64_t calls_of_it, int64_t kernels_of_it, int64_t ns) {
  const CallWork& work = shape.work.work;
  const auto count = static_cast<double>(calls_of_it);
  const auto time = static_cast<double>(ns);
  calls += calls_of_it;
  kernels += kernels_of_it;
  kernel_ns += ns;
  if (work.flop) {
    flop += count * *work.flop;
    flop_ns += time;
    flop_calls += calls_of_it;
  }
  if (work.bytes) {
    bytes += count * *work.bytes;
    bytes_ns += time;
    bytes_calls += calls_of_it;
  }
  if (work.flop && work.bytes) {
    flop_with_bytes += count * *work.flop;
    bytes_with_flop += count * *work.bytes;
  }
  if (shape.roofline_ns) {
    roofline_ns += count * *shape.roofline_ns;
    roofed_ns += time;
    memory_ns += shape.memory_bound ? count * *shape.roofline_ns : 0;
  }
  if (!counts_flop(shape.work.kind)) return;
  math_ns += time;
  const auto peak = shape.peaks == nullptr ? std::nullopt : shape.peaks->flop_per_second(shape.precision);
  if (!work.flop || !peak) return;
  peak_ns += count * *work.flop / *peak * 1e9;
  peak_known_ns += time;
}

OperatorSums& OperatorSums::operator+=(const OperatorSums& other) {
  calls += other.calls;
  kernels += other.kernels;
  kernel_ns += other.kernel_ns;
  flop += other.flop;
  flop_ns += other.flop_ns;
  flop_calls += other.flop_calls;
  bytes += other.bytes;
  bytes_ns += other.bytes_ns;
  bytes_calls += other.bytes_calls;
  flop_with_bytes += other.flop_with_bytes;
  bytes_with_flop += other.bytes_with_flop;
  roofline_ns += other.roofline_ns;
  roofed_ns += other.roofed_ns;
  memory_ns += other.memory_ns;
  peak_ns += other.peak_ns;
  peak_known_ns += other.peak_known_ns;
  math_ns += other.math_ns;
  return *this;
}

double OperatorSums::teraflop_per_second() const { return ratio_or_absent(flop / 1e3, flop_ns); }
double OperatorSums::terabytes_per_second() const { return ratio_or_absent(bytes / 1e3, bytes_ns); }
double OperatorSums::flop_per_byte() const { return ratio_or_absent(flop_with_bytes, bytes_with_flop); }
double OperatorSums::percent_of_roofline() const { return 100 * ratio_or_absent(roofline_ns, roofed_ns); }

int64_t kernel_time(const Trace& trace) {
  int64_t ns = 0;
  for (Row row = 0; row < row_count(trace.kernels); ++row) ns += trace.kernels.end[row] - trace.kernels.start[row];
  return ns;
}

void add_operator_columns(Table& table, std::span<const OperatorSums> rows, int64_t whole_ns) {
  auto& shares = table.reals("Time", Unit::percent, 1);
  for (const OperatorSums& row : rows) {
    shares.push_back(100 * ratio_or_absent(static_cast<double>(row.kernel_ns), static_cast<double>(whole_ns)));
  }
  add_counts(table, rows, "GPU Time", Unit::nanoseconds, [](const OperatorSums& row) { return row.kernel_ns; });
  add_counts(table, rows, "Calls", Unit::none, [](const OperatorSums& row) { return row.calls; });
  add_counts(table, rows, "Kernels", Unit::none, [](const OperatorSums& row) { return row.kernels; });
  add_column(table, rows, {"GPU Avg", Unit::nanoseconds, 1, [](const OperatorSums& row) {
                             return ratio_or_absent(static_cast<double>(row.kernel_ns), static_cast<double>(row.calls));
                           }});
  for (const OperatorColumn& column : kWorkColumns) add_column(table, rows, column);
  add_bound(table, rows);
}

}  // namespace sonde
