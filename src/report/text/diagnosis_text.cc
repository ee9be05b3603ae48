#include "report/text/diagnosis_text.h"

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "findings/recorder_notes.h"
#include "findings/texts.h"
#include "report/tables/quantity.h"
#include "report/text/join_text.h"
#include "report/text/measured_kernels_text.h"
#include "report/text/painted.h"
#include "report/text/sentence.h"

namespace sonde {
namespace {

size_t width_of(const RenderOptions& options) {
  constexpr size_t kDiagnosisWidth = 100;
  return options.width == 0 ? kDiagnosisWidth : options.width;
}

/// What the end of the recording cuts off, if the rest is judged.
std::string cut_text(const Facts& facts, size_t width) {
  if (!facts.cut || !facts.is_whole()) return {};
  return wrapped(text_of("window_cut.says", {duration_argument("time", facts.run.second - facts.extent.second),
                                             count_argument("launches", facts.cut->launches)}),
                 0, width);
}

double real_ns(int64_t ns) { return static_cast<double>(ns); }

/// What was judged: "19 of 20 x 'iteration', 96.0 ms on 1 GPU".
std::string judged_text(const Facts& facts) {
  std::string part;
  if (facts.steps) {
    part = fmt::format("{} of {} x '{}', ", count_text(static_cast<int64_t>(facts.steps->steady.size())),
                       count_text(facts.steps->iterations), facts.steps->range);
  }
  return fmt::format("{}{} on {}", part, time_text(real_ns(facts.wall_ns())),
                     counted(static_cast<int64_t>(facts.gpus.gpus.size()), "GPU"));
}

double percent_of_run(const Facts& facts, int64_t ns) {
  return 100 * real_ns(ns) / std::max(1.0, real_ns(facts.parts.run_ns()));
}

constexpr double kLargePercent = 10;

/// A time of which no finding says anything, and its share of the run: where it is a large part of that.
void add_not_judged(const Facts& facts, int64_t ns, std::string_view what, std::vector<std::string>& all,
                    double min_percent = kLargePercent) {
  const double percent = percent_of_run(facts, ns);
  if (percent < min_percent) return;
  all.push_back(fmt::format("{} {} ({})", time_text(real_ns(ns)), what, percent_text(percent, 100)));
}

/// What of the run the part that is judged leaves out; empty where that is little.
std::string not_judged_text(const Facts& facts, size_t width) {
  if (facts.gpus.gpus.empty()) return {};
  std::vector<std::string> all;
  const bool large = percent_of_run(facts, facts.parts.set_up_ns() + facts.parts.after_ns()) >= kLargePercent;
  const double min_outside_percent = large ? 1 : kLargePercent;
  add_not_judged(facts, facts.parts.set_up_ns(), "before the first GPU work", all, min_outside_percent);
  const bool warm_up = facts.steps && facts.steps->slow_iterations > 0;
  const auto slow_ns =
      static_cast<int64_t>(warm_up ? facts.steps->slow_mean_ns * real_ns(facts.steps->slow_iterations) : 0);
  add_not_judged(facts, slow_ns, "of warm-up", all);
  add_not_judged(facts, facts.parts.other_ns() - slow_ns, "outside of the loops", all);
  add_not_judged(facts, facts.parts.after_ns(), "after the last GPU work", all, min_outside_percent);
  if (all.empty()) return {};
  return wrapped(
      fmt::format("not judged of the run's {}: {}", time_text(real_ns(facts.parts.run_ns())), fmt::join(all, ", ")), 0,
      width);
}

std::string where_text(const Facts& facts, const Finding& finding) {
  if (finding.evidence.empty()) return {};
  const Evidence& first = finding.evidence.front();
  if (first.launch) {
    const std::string source =
        first.source.empty() ? ""
                             : fmt::format(", most at {} ({})", first.source, percent_text(first.source_percent, 100));
    return fmt::format("longest: {}, launch {}{}{}", time_text(static_cast<double>(first.end_ns - first.start_ns)),
                       *first.launch, first.place.empty() ? "" : " on " + first.place, source);
  }
  return fmt::format("longest: {} at {} on {}{}{}", time_text(static_cast<double>(first.end_ns - first.start_ns)),
                     time_text(static_cast<double>(first.start_ns - facts.recorded_time(facts.run.first))), first.place,
                     first.what.empty() ? "" : ", in ", first.shown());
}

/// "at most 52.2 ms (18.2 % of this time)".
std::string ceiling_text(const Facts& facts, const Finding& finding) {
  if (!finding.takes_time) return "costs no time yet";
  return fmt::format("{} {} ({} of this time)",
                     finding.reachable ? "at most" : "bound:", time_text(static_cast<double>(finding.ceiling_ns)),
                     percent_text(facts.percent_of_wall(finding.ceiling_ns), 100));
}

std::string finding_text(const Facts& facts, const Finding& finding, size_t number, const RenderOptions& options) {
  constexpr size_t kIndent = 4;
  const size_t width = width_of(options);
  const std::string head = fmt::format("{}. {}  {}", number, ceiling_text(facts, finding), finding.id);
  std::string text = painted(head, Paint::strong, options.colors) + '\n';
  text += wrapped(likely_text(finding), kIndent, width);
  text += wrapped(text_of(finding.id + ".says", finding.arguments), kIndent, width);
  text += wrapped(where_text(facts, finding), kIndent, width);
  text += wrapped("-> " + text_of(finding.id + ".do", finding.arguments), kIndent, width);
  return text;
}

/// Folded findings in one line: "also seen, with little or nothing to gain: dominant_kernel 60.4 %".
std::string folded_text(const Facts& facts, std::span<const Finding> folded, size_t width) {
  if (folded.empty()) return {};
  std::vector<std::string> names;
  for (const Finding& f : folded) {
    names.push_back(fmt::format("{} {}", f.id, percent_text(facts.percent_of_wall(f.ceiling_ns), 100)));
  }
  return '\n' +
         wrapped(fmt::format("also seen, with little to gain or nothing to do but to measure: {} (sonde why --all)",
                             fmt::join(names, ", ")),
                 0, width);
}

/// Where the judged time goes, in one line.
std::string explained_text(const Facts& facts, const Diagnosis& diagnosis, size_t width) {
  if (!facts.has_gpu_work() || facts.wall_ns() <= 0 || diagnosis.answer == Answer::could_not_look) return {};
  const TimeExplained& e = diagnosis.explained;
  const auto share = [&](int64_t ns) { return percent_text(facts.percent_of_wall(ns), 100); };
  std::string text =
      fmt::format("of this time: {} covered by findings, {} GPU work that no finding covers, {} idle and not explained",
                  share(e.by_findings_ns), share(e.work_ns), share(e.idle_ns));
  if (e.roofline) {
    text += fmt::format("; operators of known shapes, {} of the kernels' time, run at {} of their roofline",
                        percent_text(e.roofline->known_percent, 100), percent_text(e.roofline->roofline_percent, 100));
  }
  return '\n' + wrapped(text, 0, width);
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

namespace {

/// The reason that keeps most rules from looking.
std::string main_reason(const Facts& facts, const Diagnosis& diagnosis) {
  if (!facts.has_gpu_work()) return "the profile contains no GPU work";
  std::map<std::string, size_t> reasons;
  for (const Abstention& a : diagnosis.abstentions) ++reasons[text_of(a.id + ".says", a.arguments)];
  const auto main = std::ranges::max_element(reasons, {}, [](const auto& reason) { return reason.second; });
  return main == reasons.end() ? "no rule applies to it" : main->first;
}

}  // namespace

std::string likely_text(const Finding& finding) {
  if (!finding.likely) return {};
  return fmt::format("likely {} to {}, by {} measured fixes", time_text(real_ns(finding.likely->low_ns)),
                     time_text(real_ns(finding.likely->high_ns)), finding.likely->cases);
}

std::string headline_without_findings(const Facts& facts, const Diagnosis& diagnosis) {
  switch (diagnosis.answer) {
    case Answer::problems: return {};
    case Answer::nothing_found:
      if (diagnosis.limit) {
        return fmt::format("The GPU works at {} of its limit: nothing to gain here but by less work.",
                           percent_text(diagnosis.limit->percent, 100));
      }
      return fmt::format("Nothing worth fixing found: no finding saves {:g} % of this time. {} of {} rules looked: {}.",
                         kWorthPercent, diagnosis.looked.size(), diagnosis.asked, fmt::join(diagnosis.looked, ", "));
    case Answer::could_not_look: return fmt::format("Could not look for problems: {}.", main_reason(facts, diagnosis));
  }
  return {};
}

std::string text_of(std::string_view id, const std::vector<Argument>& arguments) {
  return sentence(catalogue_text(id), arguments);
}

std::string recorder_text(const RecordedStep& step, size_t width) {
  std::string text;
  for (const RecorderNote& note : recorder_notes(step)) {
    text += wrapped(text_of(fmt::format("{}.says", note.id), note.arguments), 0, width);
  }
  return text;
}

std::string recorder_beside_text(const RecordedStep& step, const RenderOptions& options) {
  const RecorderNote note = note_beside(step);
  return wrapped(text_of(fmt::format("{}.says", note.id), note.arguments), 0, width_of(options));
}

namespace {

/// "712 of 777 TFLOP/s (BF16)", "3.01 of 3.35 TB/s".
std::string achieved_text(const WorkAtLimit& work) {
  if (work.precision == MathPrecision::unknown) {
    return fmt::format("{:.2f} of {:.2f} TB/s", work.per_second / 1e12, work.limit_per_second / 1e12);
  }
  return fmt::format("{:.0f} of {:.0f} TFLOP/s ({})", work.per_second / 1e12, work.limit_per_second / 1e12,
                     precision_name(work.precision));
}

/// The kinds of operators at the limit, a line each.
std::string limit_text(const GpuLimit& limit) {
  std::string text = fmt::format("\n{:<16} {:>8} {:>9}  {}\n", "operators", "time", "of limit", "rate");
  for (const WorkAtLimit& work : limit.work) {
    text += fmt::format("{:<16} {:>8} {:>9}  {}\n", kind_name(work.kind), percent_text(work.time_percent, 100),
                        percent_text(work.limit_percent, 100), achieved_text(work));
  }
  return text;
}

/// The findings of a judged part: in full, then folded, then what covers its time.
std::string judged_findings(const Facts& facts, const Diagnosis& diagnosis, size_t most, const RenderOptions& options) {
  const size_t width = width_of(options);
  std::string text;
  if (const std::string headline = headline_without_findings(facts, diagnosis); !headline.empty()) {
    text += '\n' + wrapped(headline, 0, width);
  }
  if (diagnosis.limit) text += limit_text(*diagnosis.limit);
  const std::span<const Finding> all = diagnosis.findings;
  const auto folded = static_cast<size_t>(std::ranges::count_if(all, &Finding::folded));
  const std::span<const Finding> full = most == kAllFindings ? all : all.first(all.size() - folded);
  const size_t shown = std::min(most, full.size());
  for (size_t i = 0; i < shown; ++i) text += '\n' + finding_text(facts, full[i], i + 1, options);
  if (shown < full.size()) text += fmt::format("\n{} more: sonde why --all\n", full.size() - shown);
  text += folded_text(facts, all.subspan(full.size()), width) + explained_text(facts, diagnosis, width);
  return text;
}

}  // namespace

std::string diagnosis_text(const Facts& facts, const Diagnosis& diagnosis, size_t most, const RenderOptions& options) {
  const size_t width = width_of(options);
  std::string text = facts.is_kernel_report()
                         ? measured_heading(facts)
                         : fmt::format("{}: {}\n", facts.trace.ranks.front().file, judged_text(facts));
  if (facts.recorder) text += recorder_text(facts.recorder->step, width);
  text += not_judged_text(facts, width);
  text += cut_text(facts, width);
  if (facts.kernels) text += wrapped(matched_text(facts.kernels->counts), 0, width);
  text += judged_findings(facts, diagnosis, most, options);
  if (facts.is_kernel_report()) {
    text += "\nWhat bounds each kernel:\n" + measured_kernels_text(facts, diagnosis, most, width);
  }
  if (!diagnosis.not_recorded.empty()) {
    const std::string names = fmt::format("{}", fmt::join(diagnosis.not_recorded, ", "));
    text += '\n' + wrapped("not analyzed because not recorded: " + names, 0, width);
  }
  return text + abstentions_text(diagnosis.abstentions, width);
}

std::string part_text(const Facts& facts, const Diagnosis& diagnosis, size_t most, const RenderOptions& options) {
  const size_t width = width_of(options);
  const auto since_start = [&](int64_t ns) { return time_text(real_ns(ns - facts.run.first)); };
  const std::string text =
      '\n' + wrapped(fmt::format("another part, from {} to {}: {}", since_start(facts.extent.first),
                                 since_start(facts.extent.second), judged_text(facts)),
                     0, width);
  return text + judged_findings(facts, diagnosis, most, options);
}

}  // namespace sonde
