#include <algorithm>
#include <ranges>

#include "analyses/views/kernel_view.h"
#include "report/text/kernel_text.h"

namespace sonde {
namespace kernel_details_text_page {
namespace {

constexpr size_t kIndent = 4;
constexpr size_t kAdviceIndent = 10;
constexpr size_t kWidthOfFiles = 120;  ///< where lines of text break when no terminal says; ncu's

size_t width_of(const KernelPage& page) { return page.render.width > 0 ? page.render.width : kWidthOfFiles; }

/// "Est. Speedup: 33.3%", as ncu words it: without more it is the whole kernel's, "Local" is one aspect's.
std::string estimate_text(const RuleResult& rule) {
  using Scope = EstimatedSpeedup::Scope;
  if (rule.speedups.empty()) return {};
  const EstimatedSpeedup& speedup = rule.speedups.front();
  return fmt::format("Est. {}Speedup: {}%", speedup.scope == Scope::local ? "Local " : "", speedup_text(speedup));
}

/// A text as ncu breaks it: at the last blank that fits, which counts for the next line.
std::string advice_lines(std::string_view head, std::string_view text, size_t width) {
  const size_t room = std::max(width, kAdviceIndent + 2) - kAdviceIndent - 1;
  std::string lines;
  while (!text.empty()) {
    size_t cut = text.size() <= room ? text.size() : text.rfind(' ', room);
    if (cut == std::string_view::npos || cut == 0) cut = std::min(text.find(' ', 1), text.size());
    std::string_view line = text.substr(0, cut);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    lines += fmt::format("{:<{}}{}\n", lines.empty() ? head : std::string_view(), kAdviceIndent, line);
    text.remove_prefix(cut);
  }
  return lines;
}

/// Each text of a rule with its mark; the estimate on a line of its own before the first, a line of dashes between two.
void write_advice(const KernelPage& page, const KernelProfile& kernel, NameId section, const Sink& sink) {
  for (const RuleResult* rule : advice_of(kernel, section)) {
    std::string estimate = estimate_text(*rule);
    for (size_t i = 0; i < rule->texts.size(); ++i) {
      const AdviceText& advice = rule->texts[i];
      if (i > 0) sink("    ----- " + std::string(width_of(page) - std::min(width_of(page), kAdviceIndent), '-') + "\n");
      std::string head = fmt::format("    {}", mark_of(advice.kind));
      if (!estimate.empty()) {
        sink(advice_lines(head, std::exchange(estimate, {}), width_of(page)));
        head.clear();
      }
      sink(advice_lines(head, without_markup(page.trace->name(advice.text)), width_of(page)));
    }
    sink("\n");
  }
}

void write_indented(std::string_view lines, const Sink& sink) {
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size() - 1);
    sink(std::string(kIndent, ' ') + std::string(lines.substr(0, end + 1)));
    lines.remove_prefix(end + 1);
  }
}

/// Takes out columns without any value: on a timeline those that only a report of Nsight Compute has.
void drop_empty_columns(Table& table) {
  const auto rows = std::views::iota(size_t{0}, table.rows());
  std::vector<size_t> empty;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (std::ranges::all_of(rows, [&](size_t row) { return is_absent(table.columns[i], row); })) empty.push_back(i);
  }
  table.drop_columns(empty);
}

void write_view(const KernelPage& page, const KernelView& view, const Table& table, const Sink& sink) {
  RenderOptions options = page.render;
  if (options.width > kIndent) options.width -= kIndent;
  std::string text;
  (*find_table_format("column"))->render(table, options, [&](std::string_view piece) { text += piece; });
  sink(fmt::format("    {}\n", view.title));
  write_indented(text, sink);
  if (!table.note.empty()) sink(wrapped("    ", kIndent, table.note, width_of(page)));
  sink("\n");
}

/// What a kernel's report lacks, as lines for a person.
using Missing = std::string;

/// The views behind a section; those that lack metrics go to `missing`.
void write_views(const KernelPage& page, const KernelProfile& kernel, std::string_view section, Missing& missing,
                 const Sink& sink) {
  for (const KernelView& view : kernel_views()) {
    if (view.section != section) continue;
    auto table = view.run(*page.trace, kernel);
    if (table) {
      if (kernel.from_timeline) drop_empty_columns(*table);
      write_view(page, view, *table, sink);
    } else {
      missing += wrapped(fmt::format("    {}: ", view.title), kAdviceIndent, table.error().message, width_of(page));
    }
  }
}

/// Takes the metrics without a value out of `metrics` and names them in `missing`.
void drop_missing(std::string_view title, std::vector<ShownMetric>& metrics, Missing& missing) {
  for (const ShownMetric& metric : metrics) {
    if (!metric.collected) missing += fmt::format("    {}, {}: {}\n", title, metric.label, metric.value);
  }
  std::erase_if(metrics, [](const ShownMetric& metric) { return !metric.collected; });
}

void write_section(const KernelPage& page, const KernelProfile& kernel, const ProfileSection& section, Missing& missing,
                   const Sink& sink) {
  const std::string_view title = page.trace->name(section.title);
  auto metrics = shown_metrics(page, kernel, section);
  drop_missing(title, metrics, missing);
  std::string views;
  write_views(page, kernel, page.trace->name(section.id), missing, [&](std::string_view text) { views += text; });
  if (metrics.empty() && views.empty() && advice_of(kernel, section.id).empty()) return;
  sink(fmt::format("    Section: {}\n", title));
  if (!metrics.empty()) sink(metric_lines(metrics) + "\n");
  write_advice(page, kernel, section.id, sink);
  sink(views);
}

/// Views of sections that the report lacks may still have their metrics (ncu --metrics).
Missing write_views_without_section(const KernelPage& page, const KernelProfile& kernel, const Sink& sink) {
  Missing missing;
  std::string sections;
  for (const std::string_view id : missing_sections(page, kernel)) {
    sections += fmt::format("{}{}", sections.empty() ? "" : ", ", id);
    write_views(page, kernel, id, missing, sink);
  }
  if (!sections.empty()) missing += wrapped("    Sections: ", kAdviceIndent, sections, width_of(page));
  return missing;
}

/// What no timeline has, whatever was launched.
void write_not_on_timelines(const KernelPage& page, const KernelProfile& kernel, const Sink& sink) {
  std::string text;
  for (const std::string_view id : missing_sections(page, kernel))
    text += fmt::format("{}{}", text.empty() ? "" : ", ", id);
  if (text.empty()) return;
  text +=
      ": a timeline has no counters; to measure them, use sonde record --set full or ncu --set full "
      "with -o KERNELS PROGRAM";
  sink(wrapped("  not collected: ", kIndent, text, width_of(page)));
}

/// "[123] program@host" before the first launch of a process.
void write_process(const KernelPage& page, const KernelProfile& kernel, int64_t& process, const Sink& sink) {
  if (kernel.from_timeline || kernel.process == kUnknown || kernel.process == process) return;
  process = kernel.process;
  sink(fmt::format("[{}] {}@{}\n", process, process_name(*page.trace, kernel), kShownHost));
}

Missing write_kernel(const KernelPage& page, const KernelProfile& kernel, const Sink& sink) {
  sink(kernel_heading(*page.trace, kernel));
  if (kernel.metrics.empty() || (!kernel.from_timeline && kernel.grid[0] == 0))
    sink("    not measured: the launch probably failed\n\n");
  if (kernel.fixed_clocks == false)
    sink(
        "    Warning: Data collection happened without fixed GPU frequencies. Profiling results may be "
        "inconsistent.\n");
  Missing missing;
  for (const ProfileSection* section : sections_of(page, kernel)) {
    write_section(page, kernel, *section, missing, sink);
  }
  if (!kernel.from_timeline) missing += write_views_without_section(page, kernel, sink);
  return missing;
}

/// What kernels lack, once for all that lack the same.
void write_missing(const std::vector<std::pair<Missing, std::string>>& lists, const Sink& sink) {
  for (const auto& [missing, kernels] : lists) {
    if (!missing.empty()) sink(fmt::format("  Not collected for ID {}\n{}\n", kernels, missing));
  }
}

void write(const KernelPage& page, const Sink& sink) {
  std::vector<std::pair<Missing, std::string>> lists;
  int64_t process = kUnknown;
  for (const KernelProfile* kernel : page.kernels) {
    write_process(page, *kernel, process, sink);
    Missing missing = write_kernel(page, *kernel, sink);
    const auto same = std::ranges::find(lists, missing, &std::pair<Missing, std::string>::first);
    if (same == lists.end()) {
      lists.emplace_back(std::move(missing), fmt::format("{}", kernel->id));
    } else {
      same->second += fmt::format(", {}", kernel->id);
    }
  }
  write_missing(lists, sink);
  if (page.kernels.front()->from_timeline) write_not_on_timelines(page, *page.kernels.front(), sink);
}

}  // namespace
}  // namespace kernel_details_text_page

extern const KernelPageFormat kernel_details_text;
const KernelPageFormat kernel_details_text{
    .page = "details",
    .format = "text",
    .description = "sections as in ncu --page details, followed by Sonde's own views",
    .write = kernel_details_text_page::write,
};

}  // namespace sonde
