#include "report/markdown/difference_markdown.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <ranges>

#include <fmt/format.h>

#include "report/markdown/markdown_text.h"
#include "report/tables/quantity.h"
#include "report/tables/sources.h"

namespace sonde {
namespace {

constexpr size_t kMarkdownRows = 10;
/// Changes below this part of the time that is compared are noise of clocks and of rounding.
constexpr int64_t kMinMarkdownPart = 10'000;

std::string ns_text(const gate::Part& part) { return part.ns ? time_text(static_cast<double>(*part.ns)) : "-"; }

struct Shown {
  size_t most = kMarkdownRows;
  int64_t least_ns = 0;
};

/// The rows that changed, those that changed most first.
std::string rows_text(std::string_view heading, const std::vector<gate::DifferenceRow>& rows, const Shown& shown) {
  const auto changed = [&](const gate::DifferenceRow& row) { return std::abs(row.change_ns()) > shown.least_ns; };
  if (std::ranges::none_of(rows, changed)) return {};
  std::string text = fmt::format("\n| {} | | Base | New | Change |\n| :--- | :--- | ---: | ---: | ---: |\n", heading);
  for (const gate::DifferenceRow& row : rows | std::views::filter(changed) | std::views::take(shown.most)) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", markdown_code(row.name), kind_word(row.kind), ns_text(row.base),
                        ns_text(row.changed), change_text(row.change_ns()));
  }
  return text;
}

std::string causes_text(const std::vector<gate::Cause>& causes, size_t most) {
  std::string text;
  for (const gate::Cause& cause : causes | std::views::take(most)) {
    text += fmt::format("- **{}** {}\n", change_text(cause.change_ns), markdown_text(cause_sentence(cause)));
  }
  return text.empty() ? text : "\n" + text;
}

std::string sources_text(std::string_view side, const std::vector<std::string>& sources) {
  std::string text;
  for (const std::string& source : distinct_sources(sources))
    text += (text.empty() ? "" : ", ") + markdown_code(source);
  return fmt::format("{}: {}\n", side, text);
}

std::string conditions_text(const Comparison& comparison) {
  std::string text;
  for (const std::string& warning : comparison.warnings) {
    text += fmt::format("\n> **Warning**: {}\n", markdown_text(warning));
  }
  for (const std::string& limit : comparison.limits) text += fmt::format("\n> **Note**: {}\n", markdown_text(limit));
  if (comparison.conditions.empty()) return text;
  text += "\n| Condition | Base | New |\n| :--- | :--- | :--- |\n";
  for (const gate::ConditionDifference& d : comparison.conditions) {
    text += fmt::format("| {} | {} | {} |\n", d.condition->title, markdown_text(d.base), markdown_text(d.changed));
  }
  return text;
}

std::string chains_text(const std::vector<gate::KernelChange>& changes, size_t most) {
  std::string text = "\n| Kernel | Base | New | Why |\n| :--- | ---: | ---: | :--- |\n";
  const auto time = [](const std::optional<double>& ns) { return ns ? time_text(*ns) : std::string("-"); };
  for (const gate::KernelChange& change : changes | std::views::take(most)) {
    text += fmt::format("| {} | {} | {} | {} |\n", markdown_code(change.kernel), time(change.base_ns),
                        time(change.changed_ns), markdown_text(chain_sentence(change)));
  }
  return text;
}

}  // namespace

std::string difference_markdown(const gate::Difference& found, bool all) {
  const int64_t gpu_time = found.base_ns * static_cast<int64_t>(std::max<size_t>(found.gpus, 1));
  const Shown shown =
      all ? Shown{std::numeric_limits<size_t>::max(), -1} : Shown{kMarkdownRows, gpu_time / kMinMarkdownPart};
  if (!found.comparable.causes()) return length_sentence(found) + "\n";
  const std::string modules =
      found.comparable.modules ? rows_text("Module, own GPU time", found.modules, shown) : std::string();
  return length_sentence(found) + "\n" + causes_text(found.causes, shown.most) + modules +
         rows_text("Kernel", found.kernels, shown) + rows_text("Idle GPU time", all ? found.idle : found.top, shown);
}

std::string comparison_markdown(const Comparison& comparison, bool all) {
  std::string text = "# What changed\n\n";
  text += sources_text("Base", comparison.base_sources) + "\n" + sources_text("New", comparison.changed_sources);
  text += conditions_text(comparison) + "\n";
  if (comparison.difference) return text + difference_markdown(*comparison.difference, all);
  return text + chains_text(comparison.kernel_chains, all ? std::numeric_limits<size_t>::max() : kMarkdownRows);
}

}  // namespace sonde
