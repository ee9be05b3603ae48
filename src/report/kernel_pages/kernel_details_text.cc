#include <algorithm>
#include <ranges>

#include "analyses/views/kernel_view.h"
#include "report/text/kernel_text.h"

namespace sonde {
namespace kernel_details_text_page {
namespace {

constexpr size_t kIndent = 4;
constexpr size_t kAdviceIndent = 10;
constexpr size_t kWidthOfFiles = 100;  ///< where lines of text break when no terminal says

size_t width_of(const KernelPage& page) { return page.render.width > 0 ? page.render.width : kWidthOfFiles; }

/// "Est. Speedup: 33.3%", as ncu words it: without more it is the whole kernel's, "Local" is one aspect's.
std::string speedup_text(const RuleResult& rule) {
  using Scope = EstimatedSpeedup::Scope;
  std::string text;
  for (const EstimatedSpeedup& speedup : rule.speedups) {
    text += fmt::format("Est. {}Speedup: {:.4g}%. ", speedup.scope == Scope::local ? "Local " : "", speedup.percent);
  }
  return text;
}

void write_advice(const KernelPage& page, const KernelProfile& kernel, NameId section, const Sink& sink) {
  for (const RuleResult* rule : advice_of(kernel, section)) {
    std::string estimate = speedup_text(*rule);
    for (const AdviceText& advice : rule->texts) {
      const std::string_view title = page.trace->name(advice.title);
      const std::string text = fmt::format("{}{}{}{}", title, title.empty() ? "" : ": ", std::exchange(estimate, {}),
                                           without_markup(page.trace->name(advice.text)));
      sink(wrapped(fmt::format("    {}", mark_of(advice.kind)), kAdviceIndent, text, width_of(page)));
    }
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
  sink(fmt::format("\n    {}\n", view.title));
  write_indented(text, sink);
  if (!table.note.empty()) sink(wrapped("    ", kIndent, table.note, width_of(page)));
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

void write_section(const KernelPage& page, const KernelProfile& kernel, const ProfileSection& section, Missing& missing,
                   const Sink& sink) {
  sink(fmt::format("\n    Section: {}\n", page.trace->name(section.title)));
  const auto metrics = shown_metrics(page, kernel, section);
  if (!metrics.empty()) sink(metric_lines(metrics));
  write_advice(page, kernel, section.id, sink);
  write_views(page, kernel, page.trace->name(section.id), missing, sink);
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

Missing write_kernel(const KernelPage& page, const KernelProfile& kernel, const Sink& sink) {
  sink(kernel_heading(*page.trace, kernel));
  if (kernel.metrics.empty() || (!kernel.from_timeline && kernel.grid[0] == 0))
    sink("    not measured: the launch probably failed\n");
  Missing missing;
  for (const ProfileSection* section : sections_of(page, kernel)) {
    write_section(page, kernel, *section, missing, sink);
  }
  if (!kernel.from_timeline) missing += write_views_without_section(page, kernel, sink);
  sink("\n");
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
  for (const KernelProfile* kernel : page.kernels) {
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
