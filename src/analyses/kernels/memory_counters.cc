#include "analyses/kernels/memory_counters.h"

#include <array>

#include <fmt/format.h>

#include "metrics/counter_value.h"

namespace sonde {
namespace {

using Value = std::optional<double>;

constexpr double kSectorBytes = 32;

Value quotient(Value a, Value b) { return a && b && *b > 0 ? Value(*a / *b) : std::nullopt; }
Value sum(Value a, Value b) { return a && b ? Value(*a + *b) : std::nullopt; }
Value either(Value a, Value b) { return a ? a : b; }

/// Names of one unit's tag stage.
struct TagStage {
  const Trace& trace;
  const KernelProfile& kernel;
  std::string_view hardware;
  std::string_view which;

  [[nodiscard]] std::string name(std::string_view stem, std::string_view suffix = {}) const {
    return fmt::format("{}__{}{}{}", hardware, stem, which, suffix);
  }
  [[nodiscard]] Value number(const std::string& metric) const { return metric_number(trace, kernel, metric); }
  [[nodiscard]] Value total(const std::string& counter) const { return counter_total(trace, kernel, counter); }
};

Value hit_percent(const TagStage& stage, Value sectors) {
  const Value rate = stage.number(stage.name("t_sector", "_hit_rate.pct"));
  return rate ? rate : scaled(quotient(stage.total(stage.name("t_sectors", "_lookup_hit")), sectors), 100);
}

/// One direction of device memory, or both; Blackwell has other names.
struct DramNames {
  std::string_view bytes, new_bytes, sectors, new_sectors;
};
constexpr DramNames kReads = {"dram__bytes_read", "dram__bytes_op_read", "dram__sectors_read", "dram__sectors_op_read"};
constexpr DramNames kWrites = {"dram__bytes_write", "dram__bytes_op_write", "dram__sectors_write",
                               "dram__sectors_op_write"};
constexpr DramNames kBoth = {"dram__bytes", "dram__bytes", "dram__sectors", "dram__sectors"};

DramAccesses dram_by(const Trace& trace, const KernelProfile& kernel, const DramNames& names) {
  const auto either_of = [&](auto function) {
    return either(function(trace, kernel, names.bytes), function(trace, kernel, names.new_bytes));
  };
  DramAccesses accesses;
  accesses.sectors = first_total(trace, kernel, {names.sectors, names.new_sectors});
  accesses.bytes = either(either_of(counter_total), scaled(accesses.sectors, kSectorBytes));
  accesses.bytes_per_second = either_of(counter_per_second);
  accesses.percent_of_peak = either_of(counter_percent_of_peak);
  return accesses;
}

}  // namespace

std::optional<double> first_total(const Trace& trace, const KernelProfile& kernel,
                                  std::initializer_list<std::string_view> counters) {
  for (const std::string_view counter : counters) {
    if (const Value total = counter_total(trace, kernel, counter)) return total;
  }
  return std::nullopt;
}

std::optional<double> memory_instructions(const Trace& trace, const KernelProfile& kernel, std::string_view operation) {
  constexpr std::array kStems = {"smsp__inst_executed_op_", "smsp__sass_inst_executed_op_", "sm__inst_executed_op_",
                                 "sm__sass_inst_executed_op_"};
  for (const std::string_view stem : kStems) {
    if (const Value total = counter_total(trace, kernel, fmt::format("{}{}", stem, operation))) return total;
  }
  return std::nullopt;
}

CacheAccesses cache_accesses(const Trace& trace, const KernelProfile& kernel, std::string_view hardware,
                             std::string_view which) {
  const TagStage stage{trace, kernel, hardware, which};
  const std::string sectors = stage.name("t_sectors");
  const Value misses = stage.total(stage.name("t_sectors", "_lookup_miss"));
  CacheAccesses accesses;
  accesses.requests = stage.total(stage.name("t_requests"));
  accesses.sectors = either(stage.total(sectors), sum(stage.total(stage.name("t_sectors", "_lookup_hit")), misses));
  accesses.sectors_per_request = either(stage.number(stage.name("average_t_sectors_per_request", ".ratio")),
                                        quotient(accesses.sectors, accesses.requests));
  accesses.hit_percent = hit_percent(stage, accesses.sectors);
  accesses.bytes = either(stage.total(stage.name("t_bytes")), scaled(accesses.sectors, kSectorBytes));
  accesses.bytes_per_second = either(counter_per_second(trace, kernel, stage.name("t_bytes")),
                                     scaled(counter_per_second(trace, kernel, sectors), kSectorBytes));
  accesses.missed_sectors = misses;
  accesses.percent_of_peak = counter_percent_of_peak(trace, kernel, sectors);
  return accesses;
}

DramAccesses dram_reads(const Trace& trace, const KernelProfile& kernel) { return dram_by(trace, kernel, kReads); }
DramAccesses dram_writes(const Trace& trace, const KernelProfile& kernel) { return dram_by(trace, kernel, kWrites); }

DramAccesses dram_accesses(const Trace& trace, const KernelProfile& kernel) {
  DramAccesses both = dram_by(trace, kernel, kBoth);
  const DramAccesses reads = dram_reads(trace, kernel);
  const DramAccesses writes = dram_writes(trace, kernel);
  both.sectors = either(both.sectors, sum(reads.sectors, writes.sectors));
  both.bytes = either(both.bytes, sum(reads.bytes, writes.bytes));
  both.bytes_per_second = either(both.bytes_per_second, sum(reads.bytes_per_second, writes.bytes_per_second));
  return both;
}

}  // namespace sonde
