#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyses/kernels/kernel_bound.h"
#include "analyses/measured/busy_unit.h"
#include "trace/trace.h"

namespace sonde {

/// A launch of a kernel report, with what bounds it. The trace must outlive it.
struct MeasuredLaunch {
  const Trace* trace = nullptr;
  const KernelProfile* profile = nullptr;
  int64_t start_ns = 0;  ///< the launches of a report one after the other: a place in it, not a time of the run
  int64_t duration_ns = 0;
  std::optional<double> compute_percent;  ///< speed of light
  std::optional<double> memory_percent;   ///< the same, or L1's where that leads
  KernelBound bound = KernelBound::not_collected;
  std::optional<BusyUnit> memory;
  std::optional<BusyUnit> pipe;

  [[nodiscard]] std::optional<double> metric(std::string_view name) const;
  [[nodiscard]] std::optional<double> quantity(std::string_view name) const;
  /// Of compute and memory, the busier one.
  [[nodiscard]] std::optional<double> busiest_percent() const;
  /// What is left of the launch in percent if its busiest unit were the only limit. Absent without speed of light.
  [[nodiscard]] std::optional<double> idle_percent() const;
  /// The part of the time in which memory can be what the launch waits for: its busiest part works, or, where that is
  /// more, warps wait for global memory.
  [[nodiscard]] double memory_time_percent() const;
  /// What the last wave leaves unused (waves.h).
  [[nodiscard]] std::optional<double> tail_percent() const;
  [[nodiscard]] std::string name() const;  ///< function with template arguments, without parameters and casts
  [[nodiscard]] bool is_limited_by_memory() const { return bound == KernelBound::memory; }
  [[nodiscard]] bool is_limited_by_compute() const { return bound == KernelBound::compute; }
};

/// The launches of a trace that has no timeline, in the order of the report; those without a duration are left out.
[[nodiscard]] std::vector<MeasuredLaunch> measured_launches(const Trace& trace);

/// Whether a trace has measured launches and nothing else that ran on a GPU.
[[nodiscard]] bool is_kernel_report(const Trace& trace);

/// How often instructions of an opcode were executed ("DFMA"), by warps; modifiers (".SAT") are not part of the name.
class OpcodeCounts {
 public:
  OpcodeCounts(const Trace& trace, const KernelProfile& kernel);
  /// 0 where the report has no counts.
  [[nodiscard]] double all() const { return all_; }
  [[nodiscard]] double of(std::string_view opcode) const;

 private:
  std::vector<std::pair<std::string_view, double>> counts_;
  double all_ = 0;
};

}  // namespace sonde
