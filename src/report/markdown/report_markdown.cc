#include "report/markdown/report_markdown.h"
#include "findings/recorder_notes.h"

#include <algorithm>
#include <numeric>
#include <ranges>

#include "report/markdown/markdown_differences.h"
#include "report/markdown/markdown_text.h"
#include "report/tables/capture_facts.h"
#include "report/tables/quantity.h"
#include "report/text/diagnosis_text.h"
#include "report/text/product_text.h"

namespace sonde {
namespace {

/// GitHub takes comments of 65,536 characters; this leaves room for a sentence around it.
constexpr size_t kMostMarkdownBytes = 65'000;

constexpr size_t kMaxFiles = 8;
constexpr size_t kMostGpus = 32;
constexpr size_t kMostFindings = 20;
constexpr size_t kMaxRows = 15;

std::string more_text(size_t all, size_t shown, std::string_view noun) {
  if (all <= shown) return {};
  return fmt::format("\nand {} more\n", counted(static_cast<int64_t>(all - shown), noun));
}

/// "run.sqlite: Nsight Systems 2025.3.1"
std::string files_text(const Trace& trace) {
  std::string text;
  for (const Rank& rank : trace.ranks | std::views::take(kMaxFiles)) {
    text += fmt::format("- {}: {}\n", markdown_code(rank.file), markdown_text(product_text(rank)));
  }
  return text + more_text(trace.ranks.size(), kMaxFiles, "file");
}

std::string run_text(const ReportSource& source) {
  std::string text = files_text(source.trace);
  text += fmt::format("- {} recorded", time_text(real(source.span_ns())));
  if (const auto& steps = source.facts.steps) {
    text += fmt::format(", {} x {}", count_text(steps->iterations), markdown_code(steps->range));
    if (steps->slow_iterations > 0) text += fmt::format(" ({} of warm-up)", count_text(steps->slow_iterations));
    if (!steps->steady.empty()) text += fmt::format(", median {}", time_text(steps->median_ns));
  }
  return text + "\n";
}

std::string share_text(int64_t part, int64_t whole) {
  return whole > 0 ? percent_text(real(part), real(whole)) : std::string("-");
}

std::string gpus_text(const RunSummary& summary) {
  if (summary.gpus.empty()) return "\nNo GPU work ran, or it was not traced.\n";
  std::string text = "\n| GPU | | Busy | Kernels | Copies | Memsets | Idle | Launched kernels |\n";
  text += "| :--- | :--- | ---: | ---: | ---: | ---: | ---: | ---: |\n";
  for (const GpuSummary& g : summary.gpus | std::views::take(kMostGpus)) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", markdown_text(g.place), markdown_text(g.name),
                        share_text(g.busy_ns, summary.working_ns()), share_text(g.kernel_ns, summary.working_ns()),
                        share_text(g.copy_ns, summary.working_ns()), share_text(g.set_ns, summary.working_ns()),
                        share_text(g.idle_ns, summary.working_ns()), count_text(g.kernels));
  }
  return text + more_text(summary.gpus.size(), kMostGpus, "GPU");
}

std::string ceiling_markdown(const Facts& facts, const Finding& f) {
  if (!f.takes_time) return "costs no time yet";
  const std::string likely = likely_text(f);
  return fmt::format("{} {} ({}){}{}", f.reachable ? "at most" : "bound:", time_text(real(f.ceiling_ns)),
                     percent_text(facts.percent_of_wall(f.ceiling_ns), 100), likely.empty() ? "" : ", ", likely);
}

std::string findings_text(const ReportSource& source) {
  const std::vector<Finding>& findings = source.diagnosis.findings;
  std::string text = "\n### Findings\n\n";
  if (source.judged) {
    for (const RecorderNote& note : recorder_notes(source.judged->recorder->step)) {
      text += markdown_text(text_of(fmt::format("{}.says", note.id), note.arguments)) + "\n\n";
    }
  }
  if (const std::string headline = headline_without_findings(source.judged_facts(), source.diagnosis);
      !headline.empty()) {
    text += markdown_text(headline) + (findings.empty() ? "\n" : "\n\n");
  }
  for (size_t i = 0; i < std::min(findings.size(), kMostFindings); ++i) {
    const Finding& f = findings[i];
    text += fmt::format("{}. {}, {}: {}\n   {}\n", i + 1, markdown_code(f.id),
                        ceiling_markdown(source.judged_facts(), f), markdown_text(text_of(f.id + ".says", f.arguments)),
                        markdown_text("What to do: " + text_of(f.id + ".do", f.arguments)));
  }
  return text + more_text(findings.size(), kMostFindings, "finding");
}

std::string path_of(const ModuleTree& tree, uint32_t module) {
  const Module& m = tree.modules[module];
  return m.parent == kNone ? m.name : path_of(tree, m.parent) + "/" + m.name;
}

std::string module_line(const ModuleTree& tree, uint32_t module) {
  const Module& m = tree.modules[module];
  const std::string host = m.open_calls == m.calls ? "-" : time_text(real(m.host_ns));
  return fmt::format("| {} | {} | {} | {} | {} | {} |\n", markdown_code(path_of(tree, module)), count_text(m.calls),
                     time_text(real(m.self.device_ns)), share_text(m.self.device_ns, tree.whole.device_ns),
                     time_text(real(m.total.device_ns)), host);
}

/// Those that launched most GPU time themselves.
std::string modules_text(const ModuleTree& tree) {
  if (tree.modules.empty()) return {};
  std::vector<uint32_t> order(tree.modules.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::greater(), [&](uint32_t m) { return tree.modules[m].self.device_ns; });
  std::string text = "\n### Modules\n\n| Module | Calls | GPU, self | | GPU, total | Host |\n";
  text += "| :--- | ---: | ---: | ---: | ---: | ---: |\n";
  for (const uint32_t m : order | std::views::take(kMaxRows)) text += module_line(tree, m);
  if (tree.outside.device_ns > 0) {
    text += fmt::format("| (outside any module) | | {} | {} | | |\n", time_text(real(tree.outside.device_ns)),
                        share_text(tree.outside.device_ns, tree.whole.device_ns));
  }
  return text + more_text(order.size(), kMaxRows, "module");
}

std::string kernels_text(const RunSummary& summary) {
  if (summary.kernels.empty()) return {};
  std::string text = "\n### Kernels\n\n| Kernel | Launches | Total | | Average | Longest |\n";
  text += "| :--- | ---: | ---: | ---: | ---: | ---: |\n";
  for (const NamedSummary& k : summary.kernels | std::views::take(kMaxRows)) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", markdown_code(k.name), count_text(k.time.count),
                        time_text(real(k.time.total)), share_text(k.time.total, summary.kernel_time->total),
                        time_text(k.time.mean), time_text(real(k.time.max)));
  }
  return text + more_text(summary.kernels.size(), kMaxRows, "kernel");
}

std::string missing_text(const ReportSource& source) {
  std::string text;
  for (const MissingData& m : missing_data(source.trace)) {
    text += fmt::format("- {}: {}\n", markdown_text(m.what), markdown_text(m.meaning));
  }
  for (const std::string_view what : source.diagnosis.not_recorded) {
    text += fmt::format("- not analyzed: {}\n", markdown_text(what));
  }
  for (const ImportLog::Entry& entry : source.trace.log.entries()) {
    const IssueText& issue = text_of(entry.issue);
    const std::string count = entry.count == 1 ? "" : count_text(entry.count) + " x ";
    text += fmt::format("- {}{}: {}\n", count, markdown_text(issue.what), markdown_text(issue.meaning));
  }
  return text.empty() ? text : "\n### Not recorded\n\n" + text;
}

std::string profile_text(const ReportSource& source) {
  return run_text(source) + gpus_text(source.summary) + findings_text(source) + modules_text(source.modules) +
         kernels_text(source.summary) + missing_text(source);
}

/// Cuts behind the last line that fits.
std::string within_limit(std::string text) {
  if (text.size() <= kMostMarkdownBytes) return text;
  text.resize(text.rfind('\n', kMostMarkdownBytes - 100) + 1);
  return text + "\nTruncated to the size limit of a comment.\n";
}

}  // namespace

std::string report_markdown(const std::string& title, ReportSources sources) {
  std::string text = fmt::format("# {}\n\n", markdown_text(title));
  if (sources.size() > 1) text += markdown_differences(*sources[0], *sources[1]) + "\n";
  for (const ReportSource* source : sources) {
    if (sources.size() > 1) text += fmt::format("## {}\n\n", markdown_text(source->label));
    text += profile_text(*source) + "\n";
  }
  return within_limit(text + fmt::format("Created by sonde {}.\n", SONDE_VERSION));
}

}  // namespace sonde
