#include <algorithm>
#include <map>
#include <ranges>

#include <fmt/format.h>

#include "base/text/text_width.h"
#include "report/decision/check_groups.h"
#include "report/decision/checks.h"
#include "report/decision/decision_format.h"
#include "report/tables/comparison.h"
#include "report/tables/quantity.h"
#include "report/tables/sources.h"
#include "report/text/painted.h"
#include "report/text/plain_text.h"
#include "report/text/sentence.h"

namespace sonde {
namespace text {
namespace {

constexpr size_t kUsualWidth = 100;
constexpr size_t kMaxSources = 3;
constexpr size_t kLongestName = 80;
constexpr size_t kMaxCauses = 10;
/// Checks of one rule that pass are one line where there are more.
constexpr size_t kMaxPassing = 3;

Paint paint_of(CheckLevel level) {
  switch (level) {
    case CheckLevel::error: return Paint::error;
    case CheckLevel::warning: return Paint::warning;
    case CheckLevel::note: return Paint::note;
    case CheckLevel::none: break;
  }
  return Paint::good;
}

CheckLevel level_of(gate::Outcome outcome) {
  switch (outcome) {
    case gate::Outcome::pass: return CheckLevel::none;
    case gate::Outcome::learning: return CheckLevel::note;
    case gate::Outcome::inconclusive: return CheckLevel::warning;
    default: return CheckLevel::error;
  }
}

/// Writes a decision line by line.
class DecisionText {
 public:
  DecisionText(const gate::Decision& decision, const DecisionContext& context)
      : decision_(decision),
        context_(context),
        width_(context.render.width == 0 ? kUsualWidth : context.render.width) {}

  std::string write() && {
    sides();
    checks();
    causes();
    kernels();
    conditions();
    notes();
    if (!text_.empty()) text_ += '\n';
    text_ += in_paint_of(level_of(decision_.combined.outcome), combined_word(decision_)) + ": ";
    text_ += combined_says(decision_) + '\n';
    return std::move(text_);
  }

 private:
  static constexpr size_t kIndent = 4;

  [[nodiscard]] std::string in_paint_of(CheckLevel level, std::string_view word) const {
    return painted(word, paint_of(level), context_.render.colors);
  }

  void heading(std::string_view text) {
    text_ += fmt::format("\n{}\n", painted(text, Paint::strong, context_.render.colors));
  }

  void line(std::string_view text, size_t indent = kIndent) { text_ += wrapped(text, indent, width_); }

  void side(std::string_view name, const gate::DecidedSide& side) {
    const std::vector<std::string> sources = distinct_sources(side.sources);
    // Of equal runs their source tells the number.
    const bool equal = side.label.empty() && sources.size() == 1 && side.sources.size() > 1;
    std::string text = equal ? std::string(name) : fmt::format("{}: {}", name, side_heading(side));
    for (size_t i = 0; i < std::min(sources.size(), kMaxSources); ++i) {
      text += fmt::format("{} {}", i == 0 ? ":" : ",", cut_middle(one_line(sources[i]), kLongestName));
    }
    if (sources.size() > kMaxSources) text += fmt::format(" and {} more", sources.size() - kMaxSources);
    line(text, 0);
  }

  void sides() {
    if (decision_.has_base) side("base", decision_.base);
    side("new", decision_.changed);
  }

  void check_heading(const DecisionCheck& c, std::string_view name) {
    text_ += fmt::format("\n{}  {}", in_paint_of(c.level, c.word), cut_middle(name, width_ - c.word.size() - 2));
    if (!context_.budget_file.empty()) {
      const std::string place = fmt::format("{}:{}", one_line(context_.budget_file), c.verdict->rule->line);
      const bool fits = text_width(name) + c.word.size() + 4 + text_width(place) <= width_;
      text_ += fits ? "  " + place : "\n" + std::string(kIndent, ' ') + cut_middle(place, width_ - kIndent);
    }
    text_ += '\n';
  }

  void check(const CheckGroup& group) {
    const DecisionCheck& first = group.checks.front();
    check_heading(first, group.says.empty() ? first.name : group_name(group));
    line(group.says.empty() ? first.says : group.says);
    if (group.says.empty()) return;
    for (const DecisionCheck& c : group.checks | std::views::take(kMaxGrouped)) grouped_line(c);
    if (group.checks.size() > kMaxGrouped) {
      line(fmt::format("and {} more: -f json", group.checks.size() - kMaxGrouped));
    }
  }

  /// "557 us -> 1.01 ms   +81.3 %  (+79.0 % to +83.0 %)  flash_fwd": the name on a line of its own where there is
  /// little room.
  void grouped_line(const DecisionCheck& c) {
    constexpr size_t kMinRoom = 36;
    const gate::Verdict& verdict = *c.verdict;
    std::string figures(kIndent, ' ');
    if (verdict.base && verdict.changed) {
      figures += fmt::format("{:>9} -> {:>9}  {:>8}", figure_text(c, verdict.base), figure_text(c, verdict.changed),
                             ratio_text(verdict));
      const std::string interval = interval_text(verdict);
      if (!interval.empty()) figures += fmt::format("  ({})", interval);
      figures += "  ";
    } else if (verdict.changed) {
      figures += fmt::format("{:>9}  ", figure_text(c, verdict.changed));
    }
    const std::string subject = one_line(verdict.subject);
    const size_t room = width_ - std::min(width_, text_width(figures));
    if (room >= kMinRoom || text_width(subject) <= room) {
      text_ += figures + cut_middle(subject, room) + '\n';
      return;
    }
    figures.erase(figures.find_last_not_of(' ') + 1);
    text_ += figures + '\n' + std::string(2 * kIndent, ' ') + cut_middle(subject, width_ - 2 * kIndent) + '\n';
  }

  void passing(const std::vector<DecisionCheck>& all) {
    std::map<const gate::BudgetRule*, size_t> of_rule;
    for (const DecisionCheck& c : all) of_rule[c.verdict->rule] += c.level == CheckLevel::none ? 1 : 0;
    for (const DecisionCheck& c : all) {
      size_t& count = of_rule[c.verdict->rule];
      if (c.level != CheckLevel::none || count == 0) continue;
      if (count <= kMaxPassing) {
        pass_line(c.says);
        continue;
      }
      pass_line(fmt::format("{}: {} checks", one_line(c.verdict->rule->name), count_text(static_cast<int64_t>(count))));
      count = 0;
    }
  }

  void pass_line(const std::string& says) {
    constexpr std::string_view kWord = "pass";
    std::string lines = wrapped(says, kWord.size() + 2, width_);
    lines.replace(0, kWord.size(), in_paint_of(CheckLevel::none, kWord));
    text_ += lines;
  }

  void checks() {
    const std::vector<DecisionCheck> all = checks_of(decision_);
    for (const CheckGroup& group : open_groups(all)) check(group);
    if (count_of(all, "pass") > 0) text_ += '\n';
    passing(all);
  }

  void causes() {
    if (!decision_.difference) return;
    heading("What changed");
    line(length_sentence(*decision_.difference));
    const std::vector<gate::Cause>& all = decision_.difference->causes;
    for (const gate::Cause& cause : all | std::views::take(kMaxCauses)) {
      line(fmt::format("{}  {}", change_text(cause.change_ns), cause_says(cause)));
    }
    if (all.size() > kMaxCauses) line(fmt::format("and {} more: -f json", all.size() - kMaxCauses));
  }

  void kernels() {
    if (decision_.kernels.empty()) return;
    heading("Kernels");
    for (const gate::KernelChange& change : decision_.kernels) line(kernel_change_says(change));
  }

  void conditions() {
    if (decision_.conditions.empty()) return;
    heading("Conditions that differ");
    for (const gate::ConditionDifference& difference : decision_.conditions) line(condition_says(difference));
  }

  void notes() {
    if (decision_.notes.empty()) return;
    heading("Notes");
    for (const std::string& note : decision_.notes) line(one_line(note));
  }

  const gate::Decision& decision_;
  const DecisionContext& context_;
  size_t width_;
  std::string text_;
};

void write(const gate::Decision& decision, const DecisionContext& context, const Sink& sink) {
  sink(DecisionText(decision, context).write());
}

}  // namespace
}  // namespace text

extern const DecisionFormat text_decision_format;
const DecisionFormat text_decision_format = {.name = "text",
                                             .description = "readable text, failed checks first",
                                             .ending = ".txt",
                                             .parts = {},
                                             .needs_profiles = false,
                                             .write = text::write};

}  // namespace sonde
