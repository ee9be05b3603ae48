#include "report/text/diagnosis_text.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "findings/texts.h"
#include "report/tables/quantity.h"
#include "report/text/join_text.h"
#include "report/text/measured_kernels_text.h"
#include "report/text/sentence.h"

namespace sonde {
namespace {

constexpr size_t kDiagnosisWidth = 100;

/// What was judged: "run.sqlite: 19 of 20 x 'iteration', 96.0 ms on 1 GPU".
std::string heading(const Facts& facts) {
  if (facts.is_kernel_report()) return measured_heading(facts);
  std::string part;
  if (facts.steps) {
    const int64_t steady = facts.steps->iterations - facts.steps->slow_iterations;
    part =
        fmt::format("{} of {} x '{}', ", count_text(steady), count_text(facts.steps->iterations), facts.steps->range);
  }
  return fmt::format("{}: {}{} on {}\n", facts.trace.ranks.front().file, part,
                     time_text(static_cast<double>(facts.wall_ns())),
                     counted(static_cast<int64_t>(facts.gpus.gpus.size()), "GPU"));
}

std::string where_text(const Facts& facts, const Finding& finding) {
  if (finding.evidence.empty()) return {};
  const Evidence& first = finding.evidence.front();
  if (first.launch) {
    return fmt::format("longest: {}, launch {}{}", time_text(static_cast<double>(first.end_ns - first.start_ns)),
                       *first.launch, first.place.empty() ? "" : " on " + first.place);
  }
  return fmt::format("longest: {} at {} on {}{}{}", time_text(static_cast<double>(first.end_ns - first.start_ns)),
                     time_text(static_cast<double>(first.start_ns - facts.run.first)), first.place,
                     first.what.empty() ? "" : ", in ", first.what);
}

/// "at most 52.2 ms (18.2 % of this time)".
std::string ceiling_text(const Facts& facts, const Finding& finding) {
  if (!finding.takes_time) return "costs no time yet";
  return fmt::format("{} {} ({} of this time)",
                     finding.reachable ? "at most" : "bound:", time_text(static_cast<double>(finding.ceiling_ns)),
                     percent_text(facts.percent_of_wall(finding.ceiling_ns), 100));
}

std::string finding_text(const Facts& facts, const Finding& finding, size_t number, size_t width) {
  constexpr size_t kIndent = 4;
  std::string text = fmt::format("{}. {}  {}\n", number, ceiling_text(facts, finding), finding.id);
  text += wrapped(text_of(finding.id + ".says", finding.arguments), kIndent, width);
  text += wrapped(where_text(facts, finding), kIndent, width);
  text += wrapped("-> " + text_of(finding.id + ".do", finding.arguments), kIndent, width);
  return text;
}

/// Rules that abstain for one reason stand together.
std::string abstentions_text(const std::vector<Abstention>& abstentions, size_t width) {
  std::vector<std::pair<std::string, std::string>> reasons;  // reason, rules
  for (const Abstention& a : abstentions) {
    const std::string reason = text_of(a.id + ".says", a.arguments);
    const auto known = std::ranges::find(reasons, reason, &std::pair<std::string, std::string>::first);
    if (known == reasons.end()) {
      reasons.emplace_back(reason, a.rule);
    } else {
      known->second += fmt::format(", {}", a.rule);
    }
  }
  std::string text;
  for (const auto& [reason, rules] : reasons) {
    text += '\n' + wrapped(fmt::format("no conclusion from {}: {}", rules, reason), 0, width);
  }
  return text;
}

}  // namespace

std::string text_of(std::string_view id, const std::vector<Argument>& arguments) {
  return sentence(catalogue_text(id), arguments);
}

std::string diagnosis_text(const Facts& facts, const Diagnosis& diagnosis, size_t most, const RenderOptions& options) {
  const size_t width = options.width == 0 ? kDiagnosisWidth : options.width;
  std::string text = heading(facts);
  if (facts.kernels) text += wrapped(matched_text(facts.kernels->counts), 0, width);
  if (diagnosis.findings.empty() && (!facts.gpus.gpus.empty() || facts.is_kernel_report()))
    text += "\nNo rule found a problem worth fixing.\n";
  const size_t shown = std::min(most, diagnosis.findings.size());
  for (size_t i = 0; i < shown; ++i) text += '\n' + finding_text(facts, diagnosis.findings[i], i + 1, width);
  if (shown < diagnosis.findings.size()) {
    text += fmt::format("\n{} more: sonde why --all\n", diagnosis.findings.size() - shown);
  }
  if (facts.is_kernel_report()) {
    text += "\nWhat bounds each kernel:\n" + measured_kernels_text(facts, diagnosis, most, width);
  }
  if (!diagnosis.not_recorded.empty()) {
    const std::string names = fmt::format("{}", fmt::join(diagnosis.not_recorded, ", "));
    text += '\n' + wrapped("not analyzed because not recorded: " + names, 0, width);
  }
  return text + abstentions_text(diagnosis.abstentions, width);
}

}  // namespace sonde
