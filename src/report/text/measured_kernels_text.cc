#include "report/text/measured_kernels_text.h"

#include <algorithm>
#include <set>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/text_width.h"
#include "findings/measured_kernels.h"
#include "report/tables/quantity.h"

namespace sonde {
namespace {

std::string gpu_names(const Facts& facts) {
  std::set<std::string> names;
  for (const MeasuredLaunch& launch : facts.launches) {
    const DeviceId device = launch.profile->device;
    const bool known = device < facts.trace.devices.size() && !facts.trace.devices[device].name.empty();
    names.insert(known ? facts.trace.devices[device].name : "a GPU that the report does not name");
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// "memory (L2) 92.6 %": the busiest unit of what bounds it.
std::string bound_with_percent(const MeasuredKernel& kernel) {
  if (kernel.bound.empty()) return "not collected";
  const auto busiest = kernel.longest->busiest_percent();
  return busiest ? fmt::format("{} {:.1f} %", kernel.bound, *busiest) : kernel.bound;
}

std::string advice_of(const MeasuredKernel& kernel) {
  if (kernel.finding.empty()) return {};
  if (kernel.saves_ns == 0) return fmt::format("; see {}", kernel.finding);
  const double part = static_cast<double>(kernel.saves_ns) / static_cast<double>(kernel.ns);
  return fmt::format("; first {} (at most {})", kernel.finding, percent_text(part, 1));
}

}  // namespace

std::string measured_heading(const Facts& facts) {
  std::set<std::string> names;
  for (const MeasuredLaunch& launch : facts.launches) names.insert(launch.name());
  return fmt::format("{}: {} of {}, {} measured on {}\n", facts.trace.ranks.front().file,
                     counted(static_cast<int64_t>(facts.launches.size()), "launch"),
                     counted(static_cast<int64_t>(names.size()), "kernel"),
                     time_text(static_cast<double>(facts.wall_ns())), gpu_names(facts));
}

std::string measured_kernels_text(const Facts& facts, const Diagnosis& diagnosis, size_t most, size_t width) {
  const std::vector<MeasuredKernel> kernels = measured_kernels(facts, diagnosis);
  std::string text;
  for (const MeasuredKernel& kernel : std::span(kernels).first(std::min(most, kernels.size()))) {
    const std::string figures = fmt::format(
        "  {:>7}  {:>8}  {:>5} x  ", percent_text(static_cast<double>(kernel.ns), static_cast<double>(facts.wall_ns())),
        time_text(static_cast<double>(kernel.ns)), count_text(kernel.launches));
    const size_t room = width > text_width(figures) + 16 ? width - text_width(figures) : 16;
    text += figures + cut_middle(kernel.name, room) + "\n";
    text += fmt::format("{:<30}bound: {}{}\n", "", bound_with_percent(kernel), advice_of(kernel));
  }
  if (kernels.size() > most) text += fmt::format("  and {} more\n", kernels.size() - most);
  return text;
}

std::string measured_summary_text(const Facts& facts, const Diagnosis& diagnosis, const RenderOptions& options) {
  constexpr size_t kShownKernels = 12;
  constexpr size_t kDefaultWidth = 100;
  const size_t width = options.width > 0 ? options.width : kDefaultWidth;
  if (facts.launches.empty()) return facts.trace.ranks.front().file + ": no launch has a duration\n";
  return measured_heading(facts) + "\n" + measured_kernels_text(facts, diagnosis, kShownKernels, width);
}

}  // namespace sonde
