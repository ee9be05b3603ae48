#include "report/text/difference_text.h"

#include <algorithm>
#include <cstdlib>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/text_width.h"
#include "gate/difference/leaf.h"
#include "gate/difference/renamed_kernels.h"
#include "report/tables/quantity.h"
#include "report/tables/sources.h"
#include "report/text/painted.h"
#include "report/text/plain_text.h"
#include "report/text/sentence.h"

namespace sonde {
namespace {

using gate::ChangeKind;
using gate::DifferenceRow;

constexpr size_t kDifferenceWidth = 100;
constexpr size_t kDefaultCauses = 8;
constexpr size_t kUsualRows = 8;
/// Rows that changed by less than this part of the time that is compared are not worth a line.
constexpr int64_t kMinPart = 2000;

std::string part_text(const gate::Part& part) { return part.ns ? time_text(static_cast<double>(*part.ns)) : "-"; }

std::string count_of(const gate::Part& part) { return part.count ? amount_text(*part.count, Unit::none) : "-"; }

/// "27", "1 -> 32": counts of both sides.
std::string counts_text(const DifferenceRow& row) {
  const std::string before = count_of(row.base);
  const std::string after = count_of(row.changed);
  return before == after ? after : before + " -> " + after;
}

class ComparisonText {
 public:
  ComparisonText(const Comparison& comparison, bool all, const RenderOptions& options)
      : comparison_(comparison),
        all_(all),
        colors_(options.colors),
        width_(options.width == 0 ? kDifferenceWidth : options.width) {}

  std::string write() && {
    line(fmt::format("base: {}", sources(comparison_.base_sources)));
    line(fmt::format("new:  {}", sources(comparison_.changed_sources)));
    conditions();
    if (comparison_.difference) difference(*comparison_.difference);
    chains();
    return std::move(text_);
  }

 private:
  void line(std::string_view text, size_t indent = 0) { text_ += wrapped(text, indent, width_); }

  void heading(const std::string& text) { text_ += fmt::format("\n{}\n", painted(text, Paint::strong, colors_)); }

  static std::string sources(const std::vector<std::string>& of_runs) {
    constexpr size_t kMost = 3;
    const std::vector<std::string> names = distinct_sources(of_runs);
    std::string text;
    for (const std::string& name : names | std::views::take(kMost)) text += (text.empty() ? "" : ", ") + one_line(name);
    if (names.size() > kMost) text += fmt::format(" and {} more", names.size() - kMost);
    return names.size() > 1 ? fmt::format("{} runs: {}", of_runs.size(), text) : text;
  }

  void conditions() {
    if (!comparison_.warnings.empty()) text_ += '\n';
    for (const std::string& warning : comparison_.warnings) line("warning: " + one_line(warning));
    const auto& all = comparison_.conditions;
    const auto plain = [](const auto& d) { return d.condition->forbids != gate::Forbids::everything; };
    if (std::ranges::any_of(all, plain)) heading("Conditions that differ");
    for (const gate::ConditionDifference& d : all | std::views::filter(plain)) {
      line(fmt::format("{}: {} -> {}", d.condition->title, one_line(d.base), one_line(d.changed)), 2);
    }
    if (!all_) return;
    for (const std::string& note : comparison_.notes) line(one_line(note), 2);
  }

  /// Whether hardly anything lies outside the part that is compared.
  static bool is_whole(const gate::Difference& found) {
    constexpr int64_t kHundredth = 100;
    const auto alike = [](int64_t part, int64_t wall) { return wall - part < wall / kHundredth; };
    return found.part == gate::PartOfRun::gpu_work && alike(found.base_ns, *found.base_wall_ns) &&
           alike(found.changed_ns, *found.changed_wall_ns);
  }

  void difference(const gate::Difference& found) {
    text_ += '\n';
    line(length_sentence(found) + (found.gpus > 1 ? fmt::format(", on {} GPUs", found.gpus) : ""));
    if (found.part != gate::PartOfRun::run && found.base_wall_ns && found.changed_wall_ns && !is_whole(found)) {
      line(fmt::format("The whole run: {} -> {}", time_text(static_cast<double>(*found.base_wall_ns)),
                       time_text(static_cast<double>(*found.changed_wall_ns))));
    }
    if (const std::string setup = setup_sentence(found); !setup.empty()) line(setup);
    for (const std::string& limit : comparison_.limits) line("note: " + limit);
    if (!found.comparable.causes()) return;
    causes(found);
    const int64_t gpu_time = found.base_ns * static_cast<int64_t>(std::max<size_t>(found.gpus, 1));
    least_ns_ = all_ ? -1 : gpu_time / kMinPart;
    rows(fmt::format("GPU time{}: busy, and idle by cause", found.per_step ? " per step" : ""), found.top, true);
    const bool modules = found.comparable.modules;
    if (modules) rows("Busy: by module (own time)", found.modules, false);
    rows("Busy: by kernel", found.kernels, false);
    if (modules) rows("Busy: by kernel within module", found.kernels_in_modules, false);
    rows("Copies", found.copies, false);
    rows(modules ? "Idle: by cause within module" : "Idle: by cause and call", found.idle, false);
    rows(modules ? "API calls within module: host time" : "API calls: host time", found.calls, false);
  }

  void causes(const gate::Difference& found) {
    if (found.causes.empty()) return;
    heading(found.gpus > 1 ? "Causes (GPU time, all GPUs)" : "Why");
    const size_t most = all_ ? found.causes.size() : kDefaultCauses;
    for (const gate::Cause& cause : found.causes | std::views::take(most)) cause_line(cause);
    if (most < found.causes.size()) line(fmt::format("{} more: --all", found.causes.size() - most), 2);
  }

  /// The change stands before the sentence, whose further lines begin below its first word.
  void cause_line(const gate::Cause& cause) {
    constexpr size_t kIndent = 13;
    std::string lines = wrapped(one_line(cause_sentence(cause)), kIndent, width_);
    const std::string change = fmt::format("{:>{}}  ", change_text(cause.change_ns), kIndent - 2);
    lines.replace(0, kIndent, change);
    text_ += lines;
  }

  [[nodiscard]] bool is_shown(const DifferenceRow& row) const { return std::abs(row.change_ns()) > least_ns_; }

  /// Of the rows that sum up to the time that is compared the first, the busy time, is shown in any case.
  void rows(const std::string& title, const std::vector<DifferenceRow>& all, bool sums) {
    if (std::ranges::none_of(all, [&](const DifferenceRow& row) { return is_shown(row); })) return;
    std::vector<const DifferenceRow*> chosen;
    for (const DifferenceRow& row : all) {
      const bool always = sums && &row == &all.front() && row.name == "busy";
      if (always || (is_shown(row) && (all_ || sums || chosen.size() < kUsualRows))) chosen.push_back(&row);
    }
    heading(title);
    text_ += row_line("change", "base", "new", "count", "what", "");
    for (const DifferenceRow* row : chosen) add_row(*row);
    if (chosen.size() < all.size()) rest(all, chosen);
    if (sums) total(all);
  }

  void add_row(const DifferenceRow& row) {
    const std::string name = one_line(row.name);
    const bool everywhere = row.within == "idle" || row.within == gate::kAnyModule;
    const std::string within = everywhere ? "" : one_line(row.within);
    text_ += row_line(change_text(row.change_ns()), part_text(row.base), part_text(row.changed), counts_text(row),
                      std::string(kind_word(row.kind)), name, within);
    std::string more = one_line(row.detail);
    if (!row.new_name.empty()) {
      const std::string names = one_line(gate::name_change(row.name, row.new_name));
      more += fmt::format("{}name: {}", more.empty() ? "" : "; ", cut_middle(names, kDifferenceWidth));
    }
    const auto ns = [](const gate::Part& part) { return static_cast<double>(part.ns.value_or(0)); };
    if (const std::string clock = clock_note(ns(row.base), ns(row.changed), row.clock_ns); !clock.empty()) {
      more += (more.empty() ? "" : "; ") + clock;
    }
    if (!more.empty() && row.kind != ChangeKind::same) line(more, kFigures);
  }

  /// What is not shown, so that the rows add up to the level's change.
  void rest(const std::vector<DifferenceRow>& all, const std::vector<const DifferenceRow*>& chosen) {
    int64_t change = 0;
    for (const DifferenceRow& row : all) change += row.change_ns();
    for (const DifferenceRow* row : chosen) change -= row->change_ns();
    text_ += row_line(change_text(change), "", "", "", "", fmt::format("({} others)", all.size() - chosen.size()));
  }

  void total(const std::vector<DifferenceRow>& all) {
    DifferenceRow sum{.name = "total", .within = {}, .base = {0, {}}, .changed = {0, {}}};
    for (const DifferenceRow& row : all) {
      *sum.base.ns += row.base.ns.value_or(0);
      *sum.changed.ns += row.changed.ns.value_or(0);
    }
    text_ += row_line(change_text(sum.change_ns()), part_text(sum.base), part_text(sum.changed), "", "", sum.name);
  }

  static constexpr size_t kFigures = 34;

  /// Where there is no room for name and module side by side, the name stands above its module.
  [[nodiscard]] std::string row_line(std::string_view change, std::string_view base, std::string_view changed,
                                     std::string_view counts, std::string_view kind, std::string_view name,
                                     std::string_view within = {}) const {
    constexpr size_t kWide = 120;
    std::string figures = fmt::format("{:>11} {:>10} {:>10}", change, base, changed);
    if (width_ >= kWide) figures += fmt::format("  {:>16}  {:<19}", counts, kind);
    figures += "  ";
    const size_t room = width_ > text_width(figures) + 8 ? width_ - text_width(figures) : 8;
    if (within.empty()) return trimmed(figures + cut_middle(name, room)) + "\n";
    const size_t both = text_width(name) + text_width(within) + 4;
    if (both <= room) return fmt::format("{}{} in {}\n", figures, name, within);
    return fmt::format("{}{}\n{:>{}}in {}\n", figures, cut_middle(name, room), "", text_width(figures),
                       cut_middle(within, room > 3 ? room - 3 : room));
  }

  static std::string trimmed(std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

  void chains() {
    if (comparison_.difference) return;
    heading("Kernels");
    size_t same = 0;
    size_t shown = 0;
    for (const gate::KernelChange& change : comparison_.kernel_chains) {
      const bool differs = !change.links.empty() || !change.base_kernel.empty() ||
                           change.base_ns.has_value() != change.changed_ns.has_value();
      if (!differs) ++same;
      if (!differs || (!all_ && shown == kDefaultCauses)) continue;
      ++shown;
      line(cut_middle(one_line(change.kernel), width_ - 2), 2);
      line(one_line(chain_sentence(change)), 4);
    }
    if (same > 0) line(fmt::format("{} unchanged", counted(static_cast<int64_t>(same), "kernel")), 2);
    const size_t left = comparison_.kernel_chains.size() - same - shown;
    if (left > 0) line(fmt::format("{} more: --all", left), 2);
  }

  const Comparison& comparison_;
  bool all_;
  bool colors_;
  size_t width_;
  int64_t least_ns_ = 0;
  std::string text_;
};

}  // namespace

std::string comparison_text(const Comparison& comparison, bool all, const RenderOptions& options) {
  return ComparisonText(comparison, all, options).write();
}

}  // namespace sonde
