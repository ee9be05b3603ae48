#include "report/markdown_differences.h"

#include <algorithm>
#include <cstdlib>
#include <ranges>

#include "report/markdown_text.h"
#include "report/page/differences_json.h"
#include "report/quantity.h"

namespace sonde {
namespace {

constexpr size_t kMostRows = 10;

double real(int64_t value) { return static_cast<double>(value); }

/// "+1.20 ms", "-306 us"
std::string change_text(int64_t ns) {
  if (ns == 0) return "0";
  return (ns < 0 ? "-" : "+") + time_text(real(std::abs(ns)));
}

std::string ns_text(const PartOfRun& part) { return part.ns ? time_text(real(*part.ns)) : std::string("-"); }

int64_t change_of(const DifferenceRow& row) { return row.changed.ns.value_or(0) - row.base.ns.value_or(0); }

/// Changes below this part of the time that is compared are noise of clocks and of rounding.
constexpr int64_t kLeastPart = 10'000;

/// The rows that changed, those that changed most first.
std::string rows_text(std::string_view heading, const std::vector<DifferenceRow>& rows, int64_t length_ns) {
  const auto changed = [&](const DifferenceRow& row) { return std::abs(change_of(row)) > length_ns / kLeastPart; };
  if (std::ranges::none_of(rows, changed)) return {};
  std::string text = fmt::format("\n| {} | Base | New | Change |\n| :--- | ---: | ---: | ---: |\n", heading);
  for (const DifferenceRow& row : rows | std::views::filter(changed) | std::views::take(kMostRows)) {
    text += fmt::format("| {} | {} | {} | {} |\n", markdown_code(row.name), ns_text(row.base), ns_text(row.changed),
                        change_text(change_of(row)));
  }
  return text;
}

std::string length_text(const RunDifference& found) {
  const std::string percent =
      found.base_ns > 0
          ? fmt::format(" ({:+.1f} %)", 100 * real(found.changed_ns - found.base_ns) / real(found.base_ns))
          : "";
  return fmt::format("{}: {} -> {}{}\n", found.per_step ? "A mean step" : "The whole run",
                     time_text(real(found.base_ns)), time_text(real(found.changed_ns)), percent);
}

std::string findings_text(const std::vector<Finding>& base, const std::vector<Finding>& changed) {
  std::string text;
  for (const FindingPair& pair : match_findings(base, changed)) {
    if (!pair.base) text += fmt::format("- new finding: {}\n", markdown_code(pair.id));
    if (!pair.changed) text += fmt::format("- finding gone: {}\n", markdown_code(pair.id));
  }
  return text.empty() ? text : "\n" + text;
}

}  // namespace

std::string markdown_differences(const ReportSource& base, const ReportSource& changed) {
  const RunDifference found = difference_of(base, changed);
  return length_text(found) + findings_text(base.diagnosis.findings, changed.diagnosis.findings) +
         rows_text("Module, GPU time of its own", found.modules, found.base_ns) +
         rows_text("Kernel", found.kernels, found.base_ns) + rows_text("Idle GPU time", found.idle, found.base_ns);
}

}  // namespace sonde
