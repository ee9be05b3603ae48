#include "report/text/join_text.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "base/text/text_width.h"
#include "report/tables/quantity.h"

namespace sonde {
namespace {

std::string_view reason_of(JoinGap gap, bool on_timeline) {
  switch (gap) {
    case JoinGap::name: return on_timeline ? "no kernel with this name was measured" : "not on the timeline";
    case JoinGap::configuration:
      return on_timeline ? "measured only with another grid, block, register count or shared memory size"
                         : "on the timeline only with another grid, block, register count or shared memory size";
    case JoinGap::range: break;
  }
  return on_timeline ? "measured only in other ranges" : "on the timeline only in other ranges";
}

std::string size_text(const Dim3& size) { return fmt::format("{}x{}x{}", size[0], size[1], size[2]); }

std::string unmatched_line(const UnmatchedKernel& kernel, bool on_timeline) {
  constexpr size_t kLongestName = 60;
  std::string text = fmt::format("  {} x {}", count_text(kernel.count), cut_middle(kernel.name, kLongestName));
  if (kernel.grid[0] != 0) text += fmt::format(", grid {}, block {}", size_text(kernel.grid), size_text(kernel.block));
  if (on_timeline) text += fmt::format(", {}", time_text(static_cast<double>(kernel.duration_ns)));
  return text + fmt::format(": {}\n", reason_of(kernel.gap, on_timeline));
}

std::string unmatched_text(std::span<const UnmatchedKernel> kernels, bool on_timeline) {
  constexpr size_t kMostLines = 5;
  if (kernels.empty()) return {};
  std::string text = on_timeline ? "launches that were not measured:\n" : "measured kernels that are not used:\n";
  for (const UnmatchedKernel& kernel : kernels.first(std::min(kMostLines, kernels.size()))) {
    text += unmatched_line(kernel, on_timeline);
  }
  if (kernels.size() > kMostLines) text += fmt::format("  and {} more\n", kernels.size() - kMostLines);
  return text;
}

std::string fit_text(const TransferFit& fit, std::string_view level) {
  if (fit.modules == 0) return {};
  if (!fit.line) {
    return fmt::format(
        "{}: cannot fit a line through {}; the fit needs at least {} that move different numbers of bytes\n", level,
        counted(static_cast<int64_t>(fit.modules), "module"), kMinModulesOfFit);
  }
  std::string text = fmt::format("{}: linear fit of own time over own bytes of {} modules", level,
                                 count_text(static_cast<int64_t>(fit.modules)));
  if (fit.line->correlation) text += fmt::format(": correlation {:.3f}", *fit.line->correlation);
  const auto rate = fit.bytes_per_second();
  return text + (rate ? fmt::format(", the slope corresponds to {}\n", rate_text(*rate))
                      : ", time does not grow with bytes\n");
}

}  // namespace

std::string matched_text(const JoinCounts& c) {
  return fmt::format(
      "{} of {} launches are measured ({} of the kernel time): {} individually, {} through launches of the same kind; "
      "{} of {} "
      "measured kernels are used",
      count_text(c.matched_launches), count_text(c.launches),
      c.launches_ns > 0 ? percent_text(static_cast<double>(c.matched_launches_ns), static_cast<double>(c.launches_ns))
                        : "none",
      count_text(c.own_launches), count_text(c.matched_launches - c.own_launches), count_text(c.matched_measured),
      count_text(c.measured));
}

std::string join_text(const KernelJoin& join) {
  return matched_text(join.counts) + "\n" + unmatched_text(join.unmatched_launches, true) +
         unmatched_text(join.unmatched_measured, false);
}

std::string transfer_text(const ModuleKernels& kernels) {
  return fit_text(kernels.dram, "DRAM") + fit_text(kernels.l2, "L2");
}

}  // namespace sonde
