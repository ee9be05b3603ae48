#include "report/tables/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "gate/decide/guard.h"
#include "report/tables/quantity.h"
#include "report/text/sentence.h"

namespace sonde {
namespace {

using gate::ChangeKind;

double real(int64_t value) { return static_cast<double>(value); }

std::vector<std::string> sources_of(std::span<const gate::RunRecord> runs) {
  std::vector<std::string> sources;
  for (const gate::RunRecord& run : runs) sources.push_back(run.source);
  return sources;
}

bool has_kernel_report(std::span<const gate::RunRecord> runs) {
  return std::ranges::any_of(runs, [](const gate::RunRecord& run) {
    const auto kind = run.conditions.find("kind");
    return !run.measures.empty() || (kind != run.conditions.end() && kind->second == "kernel report");
  });
}

struct KindText {
  std::string_view name;
  std::string_view word;
};
constexpr std::array<KindText, 8> kKinds = {{{"same", "same"},
                                             {"slower", "slower"},
                                             {"faster", "faster"},
                                             {"more", "more"},
                                             {"fewer", "fewer"},
                                             {"added", "added"},
                                             {"removed", "removed"},
                                             {"other_configuration", "other configuration"}}};

std::string link_text(const gate::KernelChange::Link& link) {
  if (link.figure == "time") {
    return fmt::format("time {}", change_percent_text(link.base.number, link.changed.number));
  }
  const std::string_view text = gate::cause_text("link." + link.figure);
  return sentence(text, std::array{link.base, link.changed});
}

}  // namespace

Comparison comparison_of(std::span<const gate::RunRecord> base, std::span<const gate::RunRecord> changed) {
  const gate::Guard guard({base, changed}, {});
  Comparison found{.base_sources = sources_of(base),
                   .changed_sources = sources_of(changed),
                   .conditions = guard.differences(),
                   .notes = guard.notes(),
                   .difference = std::nullopt,
                   .kernel_chains = {}};
  if (has_kernel_report(base)) {
    found.kernel_chains = gate::kernel_changes(base, changed);
  } else {
    found.difference = gate::difference_of(base, changed);
  }
  return found;
}

std::string_view kind_word(ChangeKind kind) { return kKinds.at(static_cast<size_t>(kind)).word; }
std::string_view kind_name(ChangeKind kind) { return kKinds.at(static_cast<size_t>(kind)).name; }

std::string change_text(int64_t ns) {
  if (ns == 0) return "0";
  return (ns < 0 ? "-" : "+") + time_text(real(std::abs(ns)));
}

std::string change_percent_text(double base, double changed) {
  if (base <= 0) return {};
  const double percent = 100 * (changed - base) / base;
  return fmt::format("{:+.{}f} %", percent, std::abs(percent) < 10 ? 1 : 0);
}

std::string cause_sentence(const gate::Cause& cause) { return sentence(gate::cause_text(cause.id), cause.arguments); }

std::string chain_sentence(const gate::KernelChange& change) {
  if (!change.base_ns && change.changed_ns) return fmt::format("added, {} per launch", time_text(*change.changed_ns));
  if (change.base_ns && !change.changed_ns)
    return fmt::format("removed, was {} per launch", time_text(*change.base_ns));
  std::string text;
  for (const gate::KernelChange::Link& link : change.links) text += (text.empty() ? "" : ", ") + link_text(link);
  if (change.percent_per_thread) {
    text += fmt::format(" (another problem size: {:+.1f} % for each thread)", *change.percent_per_thread);
  }
  if (change.base_ns && change.changed_ns) {
    const std::string clock = clock_note(std::llround(*change.changed_ns - *change.base_ns), change.clock_ns);
    if (!clock.empty()) text += fmt::format(" ({})", clock);
  }
  if (text.empty()) text = "the same";
  if (!change.cause.empty()) text = fmt::format("{}: {}", gate::cause_text(change.cause), text);
  if (!change.base_kernel.empty()) text = fmt::format("called {} in the base. {}", change.base_kernel, text);
  return text;
}

std::string clock_note(int64_t change_ns, std::optional<int64_t> clock_ns) {
  constexpr int64_t kLeastPart = 20;
  if (!clock_ns || *clock_ns == 0 || kLeastPart * std::abs(*clock_ns) < std::abs(change_ns)) return {};
  return fmt::format("{} of it is due to the clock", change_text(*clock_ns));
}

std::string length_sentence(const gate::Difference& difference) {
  // Where one side alone has steps, its record is about these; the other's about the run.
  const bool whole = difference.base_ns == difference.base_wall_ns.value_or(difference.base_ns) &&
                     difference.changed_ns == difference.changed_wall_ns.value_or(difference.changed_ns);
  const std::string_view what = difference.per_step ? "A mean step"
                                : whole             ? "The whole run"
                                                    : "The run, without warm-up if it has steps";
  const std::string percent = change_percent_text(real(difference.base_ns), real(difference.changed_ns));
  return fmt::format("{}: {} -> {} ({}{}{})", what, time_text(real(difference.base_ns)),
                     time_text(real(difference.changed_ns)), change_text(difference.changed_ns - difference.base_ns),
                     percent.empty() ? "" : ", ", percent);
}

std::string conditions_warning(const Comparison& comparison) {
  std::string names;
  for (const gate::ConditionDifference& d : comparison.conditions) {
    if (d.condition->forbids != gate::Forbids::everything) continue;
    names += fmt::format("{}{} ({} -> {})", names.empty() ? "" : ", ", d.condition->title, d.base, d.changed);
  }
  if (names.empty()) return {};
  return fmt::format("The two sides differ in {}. The differences below may come from that instead of the program.",
                     names);
}

}  // namespace sonde
