#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include "base/text/text_width.h"
#include "report/decision/check_groups.h"
#include "report/decision/checks.h"
#include "report/decision/decision_format.h"
#include "report/markdown/markdown_text.h"
#include "report/tables/comparison.h"
#include "report/tables/quantity.h"
#include "report/tables/sources.h"
#include "report/text/plain_text.h"

/// A comment on a pull request, as GitHub and GitLab show it.
namespace sonde {
namespace markdown {
namespace {

/// By which a CI step finds the one comment that it updates.
constexpr std::string_view kMarker = "<!-- sonde-gate -->\n";
/// GitHub takes comments of 65,536 characters; this leaves room for a sentence around it.
constexpr size_t kMostBytes = 65'000;
constexpr size_t kLongestTitle = 120;
constexpr size_t kMaxCauses = 20;
constexpr size_t kMostKernels = 20;
constexpr size_t kMaxSources = 8;
constexpr size_t kLongestSubject = 80;

std::string_view sign_of(std::string_view word) {
  if (word == "pass") return "✅";
  if (word == "fail") return "❌";
  if (word == "warning") return "⚠️";
  if (word == "learning") return "ℹ️";
  return word == "inconclusive" ? "❔" : "🚫";
}

std::string cells(const DecisionCheck& check, bool with_base) {
  std::string changed = figure_text(check, check.verdict->changed);
  if (!with_base) return changed;
  return fmt::format("{} | {} | {}", figure_text(check, check.verdict->base), changed, ratio_text(*check.verdict));
}

std::string verdict_cell(const DecisionCheck& check) { return fmt::format("{} {}", sign_of(check.word), check.word); }

std::string row(const DecisionCheck& check, bool with_base) {
  return fmt::format("| {} | {} | {} | {} |\n", verdict_cell(check), markdown_code(check.name), cells(check, with_base),
                     markdown_text(check.says));
}

/// What is true of all, then a row for each.
std::string rows(const CheckGroup& group, bool with_base) {
  const DecisionCheck& first = group.checks.front();
  if (group.says.empty()) return row(first, with_base);
  const std::string_view no_figures = with_base ? "| |" : "";
  std::string text = fmt::format("| {} | {} | {} | {} |\n", verdict_cell(first), markdown_code(group_name(group)),
                                 no_figures, markdown_text(group.says));
  for (const DecisionCheck& check : group.checks | std::views::take(kMaxGrouped)) {
    const std::string interval = interval_text(*check.verdict);
    text += fmt::format("| | {} | {} | {} |\n",
                        markdown_code(cut_middle(one_line(check.verdict->subject), kLongestSubject)),
                        cells(check, with_base), interval.empty() ? "" : "95 %: " + interval);
  }
  if (group.checks.size() > kMaxGrouped) {
    text += fmt::format("| | and {} more | {} | |\n", group.checks.size() - kMaxGrouped, no_figures);
  }
  return text;
}

std::string table_head(bool with_base) {
  return with_base ? "| | Check | Base | New | Change | Why |\n| :--- | :--- | ---: | ---: | ---: | :--- |\n"
                   : "| | Check | New | Why |\n| :--- | :--- | ---: | :--- |\n";
}

template <typename Checks>
std::string table(Checks&& checks, bool with_base) {
  std::string text = table_head(with_base);
  for (const DecisionCheck& check : checks) text += row(check, with_base);
  return text;
}

std::string table_of_open(const std::vector<CheckGroup>& groups, bool with_base) {
  std::string text = table_head(with_base);
  for (const CheckGroup& group : groups) text += rows(group, with_base);
  return text;
}

std::string folded(std::string_view summary, const std::string& content) {
  return fmt::format("\n<details><summary>{}</summary>\n\n{}\n</details>\n", summary, content);
}

std::string more_text(size_t all, size_t shown) {
  return all > shown ? fmt::format("- and {} more\n", all - shown) : std::string();
}

std::string causes_text(const gate::Difference& difference) {
  std::string text = fmt::format("\n### What changed\n\n{}\n\n", markdown_text(length_sentence(difference)));
  for (const gate::Cause& cause : difference.causes | std::views::take(kMaxCauses)) {
    text += fmt::format("- **{}** {}\n", change_text(cause.change_ns), markdown_text(cause_says(cause)));
  }
  return text + more_text(difference.causes.size(), kMaxCauses);
}

std::string kernels_text(const std::vector<gate::KernelChange>& kernels) {
  if (kernels.empty()) return {};
  std::string text = "\n### Kernels\n\n";
  for (const gate::KernelChange& change : kernels | std::views::take(kMostKernels)) {
    text += fmt::format("- {}\n", markdown_text(kernel_change_says(change)));
  }
  return text + more_text(kernels.size(), kMostKernels);
}

std::string list_text(std::string_view heading, const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  std::string text = fmt::format("\n### {}\n\n", heading);
  for (const std::string& line : lines) text += fmt::format("- {}\n", markdown_text(line));
  return text;
}

std::string side_text(std::string_view name, const gate::DecidedSide& side) {
  std::string text = fmt::format("**{}**: {}\n\n", name, markdown_text(side_heading(side)));
  const std::vector<std::string> sources = distinct_sources(side.sources);
  for (const std::string& source : sources | std::views::take(kMaxSources)) {
    text += fmt::format("- {}\n", markdown_code(source));
  }
  text += more_text(sources.size(), kMaxSources);
  for (const auto& [condition, value] : side.conditions) {
    const gate::ConditionInfo* const info = gate::find_condition(condition);
    text +=
        fmt::format("- {}: {}\n", info != nullptr ? info->title : std::string_view(condition), markdown_code(value));
  }
  return text + "\n";
}

std::string sides_text(const gate::Decision& decision) {
  const std::string text = decision.has_base ? side_text("Base", decision.base) : "";
  return folded("Runs and conditions", text + side_text("New", decision.changed));
}

std::string heading_text(const gate::Decision& decision, const DecisionContext& context) {
  const std::string_view word = combined_word(decision);
  const std::string title =
      context.title.empty() ? "Performance gate" : markdown_text(cut_middle(one_line(context.title), kLongestTitle));
  return fmt::format("## {} {}: {}\n\n{}\n", sign_of(word), title, word, markdown_text(combined_says(decision)));
}

/// What comes before anything may be cut: why the verdict is what it is.
std::string main_part(const gate::Decision& decision, const std::vector<DecisionCheck>& checks) {
  std::string text;
  const std::vector<CheckGroup> open = open_groups(checks);
  if (!open.empty()) text += "\n" + table_of_open(open, decision.has_base);
  if (decision.difference) text += causes_text(*decision.difference);
  text += kernels_text(decision.kernels);
  std::vector<std::string> conditions;
  for (const gate::ConditionDifference& difference : decision.conditions) {
    conditions.push_back(condition_says(difference));
  }
  return text + list_text("Conditions that differ", conditions) + list_text("Notes", decision.notes);
}

std::string passing_part(const gate::Decision& decision, const std::vector<DecisionCheck>& checks) {
  const size_t passing = count_of(checks, "pass");
  if (passing == 0) return {};
  const auto passes = [](const DecisionCheck& check) { return check.level == CheckLevel::none; };
  return folded(fmt::format("{} {}", counted(static_cast<int64_t>(passing), "check"), passing == 1 ? "passes" : "pass"),
                table(checks | std::views::filter(passes), decision.has_base));
}

/// Takes what fits of the parts: the last line that does, then nothing more of that part.
class Comment {
 public:
  explicit Comment(std::string text) : text_(std::move(text)) {}

  void add(const std::string& part) {
    if (text_.size() + part.size() <= kRoom) {
      text_ += part;
      return;
    }
    cut_ = true;
    const bool folds = part.contains("<details>");
    const size_t room = kRoom - std::min(kRoom, text_.size());
    const size_t end = room < part.size() ? part.rfind('\n', room) : std::string::npos;
    if (end == std::string::npos || end < kLeast) return;
    text_ += part.substr(0, end + 1);
    if (folds) text_ += "\n</details>\n";
  }

  [[nodiscard]] std::string text() const {
    return cut_ ? text_ + "\nTruncated to the size limit of a comment. `sonde gate -f text` shows all.\n" : text_;
  }

 private:
  static constexpr size_t kRoom = kMostBytes - 300;  // for what ends it
  static constexpr size_t kLeast = 400;              // a heading without its first line says nothing

  std::string text_;
  bool cut_ = false;
};

void write(const gate::Decision& decision, const DecisionContext& context, const Sink& sink) {
  const std::vector<DecisionCheck> checks = checks_of(decision);
  Comment comment(std::string(kMarker) + heading_text(decision, context));
  comment.add(main_part(decision, checks));
  comment.add(sides_text(decision));
  comment.add(passing_part(decision, checks));
  sink(comment.text());
  sink(fmt::format("\nCreated by sonde {}.\n", SONDE_VERSION));
}

}  // namespace
}  // namespace markdown

extern const DecisionFormat markdown_decision_format;
const DecisionFormat markdown_decision_format = {.name = "markdown",
                                                 .description = "a comment for a pull request",
                                                 .ending = ".md",
                                                 .parts = {},
                                                 .needs_profiles = false,
                                                 .write = markdown::write};

}  // namespace sonde
