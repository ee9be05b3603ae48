#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/study/module_work.h"
#include "record/kernels/request.h"
#include "trace/trace.h"

/// Which modules of a timeline matter, and which of their kernels are worth their counters. docs/record/study.md.
namespace sonde::study {

/// A function where a module launches it, and in no module inside that one.
struct ModuleKernel {
  uint32_t module = kNone;  ///< kNone: outside any
  std::string function;     ///< its bare name
  Work work;
  int64_t measured = 0;    ///< launches that will be measured, about
  double measured_ns = 0;  ///< their time
};

struct Choice {
  ModuleTree tree;
  ModuleWork work;
  std::vector<uint32_t> modules;      ///< those chosen, the greatest weight first; kNone is what lies outside any
  std::vector<ModuleKernel> kernels;  ///< those chosen, by module in that order, the greatest weight first
  int64_t launching_modules = 0;      ///< that launch kernels which can be measured
  [[nodiscard]] bool is_chosen(uint32_t module) const;
  [[nodiscard]] double chosen_ns() const;  ///< time of the chosen kernels
  [[nodiscard]] int64_t measured() const;
  [[nodiscard]] double measured_ns() const;
};

/// What is measured unless something else is asked for: a set, and what modules move.
inline constexpr std::string_view kUsualMetrics =
    "detailed,dram_read_bytes,dram_write_bytes,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum";

struct Bounds {
  size_t modules = 10;
  size_t kernels = 10;         ///< of each module
  double share = 0.99;         ///< of the time of all kernels: no module is chosen beyond it
  double kernel_share = 0.95;  ///< of the module's own: no kernel of it is chosen beyond it
  int64_t each = 2;            ///< launches of a kernel with one grid and block in one place of the ranges
};

[[nodiscard]] Choice choose(const Trace& timeline, const Bounds& bounds);
/// What choose() reads.
[[nodiscard]] Fields choice_fields();

/// The chosen kernels as `sonde record --kernels-from` takes them: in the ranges that their modules are, or anywhere
/// where the timeline has no ranges.
[[nodiscard]] std::vector<record::ListedKernel> listed_kernels(const Trace& timeline, const Choice& choice);

}  // namespace sonde::study
