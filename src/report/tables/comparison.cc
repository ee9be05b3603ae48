#include "report/tables/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "findings/texts.h"
#include "gate/decide/guard.h"
#include "report/tables/quantity.h"
#include "report/text/sentence.h"
#include "trace/brief_kernel_name.h"

namespace sonde {
namespace {

using gate::ChangeKind;

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
constexpr std::array<KindText, 9> kKinds = {{{"same", "same"},
                                             {"slower", "slower"},
                                             {"faster", "faster"},
                                             {"more", "more"},
                                             {"fewer", "fewer"},
                                             {"added", "added"},
                                             {"removed", "removed"},
                                             {"other_configuration", "other configuration"},
                                             {"renamed", "renamed"}}};

std::string link_text(const gate::KernelChange::Link& link) {
  if (link.figure == "time") {
    return fmt::format("time {}", change_percent_text(link.base.number, link.changed.number));
  }
  const std::string_view text = gate::cause_text("link." + link.figure);
  return sentence(text, std::array{link.base, link.changed});
}

/// Conditions under which a difference says little of the program: another GPU, or one with another clock.
bool misleads(const gate::ConditionInfo& condition) {
  return condition.forbids == gate::Forbids::everything || condition.name == "gpu_clock";
}

void add_condition_warning(Comparison& comparison) {
  std::string names;
  for (const gate::ConditionDifference& d : comparison.conditions) {
    if (!misleads(*d.condition)) continue;
    names += fmt::format("{}{} ({} -> {})", names.empty() ? "" : ", ", d.condition->title, d.base, d.changed);
  }
  if (names.empty()) return;
  comparison.warnings.push_back(fmt::format(
      "The two sides differ in {}. The differences below may come from that instead of the program.", names));
}

size_t most_gpus(std::span<const gate::RunRecord> runs) {
  size_t most = 0;
  for (const gate::RunRecord& run : runs) most = std::max(most, run.gpus.size());
  return most;
}

void add_gpu_count(std::span<const gate::RunRecord> base, std::span<const gate::RunRecord> changed,
                   std::vector<std::string>& warnings) {
  const size_t before = most_gpus(base);
  const size_t after = most_gpus(changed);
  if (before == after || before == 0 || after == 0) return;
  const std::array arguments = {count_argument("base", before), count_argument("changed", after)};
  warnings.push_back(sentence(gate::cause_text("gpu_count"), arguments));
}

/// Each check that a run of a side does not pass, once.
void add_flaws(std::string_view side, std::span<const gate::RunRecord> runs, std::vector<std::string>& warnings) {
  std::vector<std::string> known;
  for (const gate::RunRecord& run : runs) {
    for (const gate::Flaw& flaw : run.flaws) {
      if (std::ranges::find(known, flaw.id) != known.end()) continue;
      known.push_back(flaw.id);
      const std::string says = sentence(catalogue_text(flaw.id + ".says"), flaw.arguments);
      warnings.push_back(fmt::format("{}: {}.", side, says));
    }
  }
}

bool has_modules(std::span<const gate::RunRecord> runs) {
  return std::ranges::any_of(runs, [](const gate::RunRecord& run) {
    return std::ranges::any_of(run.work, [](const gate::WorkGroup& group) { return !group.module.empty(); });
  });
}

std::string_view part_title(gate::PartOfRun part) {
  switch (part) {
    case gate::PartOfRun::steps: return "A mean step";
    case gate::PartOfRun::gpu_work: return "From the first GPU work to the last";
    case gate::PartOfRun::run: break;
  }
  return "The whole run";
}

/// "43.8 ms as recorded, 23.4 ms without" of the first run that tells.
std::string recorded_step(std::span<const gate::RunRecord> runs) {
  const auto run = std::ranges::find_if(runs, [](const gate::RunRecord& r) { return r.recorder.has_value(); });
  if (run == runs.end()) return {};
  const auto text = [](int64_t ns) { return time_text(static_cast<double>(ns)); };
  return fmt::format("{} as recorded, {} without", text(run->recorder->recorded_ns), text(run->recorder->without_ns));
}

/// Where the recorders cost a part of the steps, so does it of the differences.
void add_recorder(std::span<const gate::RunRecord> base, std::span<const gate::RunRecord> changed,
                  std::vector<std::string>& warnings) {
  constexpr int64_t kPercent = 100;
  const auto costs = [](const gate::RunRecord& r) {
    return r.recorder && (r.recorder->recorded_ns - r.recorder->without_ns) * kPercent > r.recorder->recorded_ns;
  };
  if (std::ranges::none_of(base, costs) && std::ranges::none_of(changed, costs)) return;
  const std::string before = recorded_step(base);
  const std::string after = recorded_step(changed);
  warnings.push_back(fmt::format(
      "The times below contain the profiler's own cost. A step of the base: {}; of the new run: {} that cost.",
      before.empty() ? "unknown" : before, after.empty() ? "unknown" : after));
}

}  // namespace

Comparison comparison_of(std::span<const gate::RunRecord> base, std::span<const gate::RunRecord> changed) {
  const gate::Guard guard({base, changed}, {});
  Comparison found{.base_sources = sources_of(base),
                   .changed_sources = sources_of(changed),
                   .conditions = guard.differences(),
                   .notes = guard.notes(),
                   .warnings = {},
                   .limits = {},
                   .difference = std::nullopt,
                   .kernel_chains = {}};
  if (has_kernel_report(base)) {
    found.kernel_chains = gate::kernel_changes(base, changed);
  } else {
    found.difference = gate::difference_of(base, changed);
    found.limits = limits_of(*found.difference, base, changed);
  }
  add_condition_warning(found);
  add_gpu_count(base, changed, found.warnings);
  add_recorder(base, changed, found.warnings);
  add_flaws("base", base, found.warnings);
  add_flaws("new", changed, found.warnings);
  return found;
}

std::vector<std::string> limits_of(const gate::Difference& d, std::span<const gate::RunRecord> base,
                                   std::span<const gate::RunRecord> changed) {
  const gate::Comparable& by = d.comparable;
  std::vector<std::string> limits;
  const auto add = [&](bool limited, std::string_view id) {
    if (limited) limits.emplace_back(gate::cause_text(id));
  };
  const auto unused = [](std::span<const gate::RunRecord> runs) {
    return std::ranges::any_of(runs, &gate::RunRecord::has_unused_steps);
  };
  add(!by.work, "not.work");
  add(!by.lengths, "not.lengths");
  add(by.lengths && unused(base) != unused(changed), "not.steps");
  add(by.lengths && unused(base) && unused(changed), "not.same_steps");
  add(!by.modules && (has_modules(base) || has_modules(changed)), "not.modules");
  add(!by.calls, "not.calls");
  add(!by.host_work, "not.host_work");
  add(!by.copy_memory, "not.copy_memory");
  return limits;
}

std::string_view part_name(gate::PartOfRun part) {
  constexpr std::array<std::string_view, 3> kNames = {"steps", "gpu_work", "run"};
  return kNames.at(static_cast<size_t>(part));
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

std::string cause_sentence(const gate::Cause& cause) {
  const std::string_view text = gate::cause_text(cause.id);
  std::vector<Argument> printed;
  for (const Argument& argument : cause.arguments) {
    if (text.contains("{" + argument.name)) printed.push_back(argument);
  }
  return comparing_sentence(text, printed);
}

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
    const std::string clock = clock_note(*change.base_ns, *change.changed_ns, change.clock_ns);
    if (!clock.empty()) text += fmt::format(" ({})", clock);
  }
  if (text.empty()) text = "the same";
  if (!change.cause.empty()) text = fmt::format("{}: {}", gate::cause_text(change.cause), text);
  if (!change.base_kernel.empty())
    text = fmt::format("called {} in the base. {}", brief_kernel_name(change.base_kernel), text);
  return text;
}

namespace {

/// Whether the clock's part is worth a word: 1 % of the time, and a tenth of its change.
bool clock_matters(int64_t clock_ns, double base_ns, double changed_ns) {
  constexpr double kOfTime = 0.01;
  constexpr double kOfChange = 0.1;
  const double part = std::abs(real(clock_ns));
  return part >= kOfTime * base_ns && part >= kOfChange * std::abs(changed_ns - base_ns);
}

}  // namespace

std::string clock_note(double base_ns, double changed_ns, std::optional<int64_t> clock_ns) {
  if (!clock_ns || !clock_matters(*clock_ns, base_ns, changed_ns)) return {};
  return fmt::format("{} of it is due to the clock", change_text(*clock_ns));
}

std::string length_sentence(const gate::Difference& difference) {
  const std::string base = time_text(real(difference.base_ns));
  const std::string changed = time_text(real(difference.changed_ns));
  if (!difference.comparable.lengths) return fmt::format("Not of the same part of a run: {} and {}", base, changed);
  const std::string percent = change_percent_text(real(difference.base_ns), real(difference.changed_ns));
  return fmt::format("{}: {} -> {} ({}{}{})", part_title(difference.part), base, changed,
                     change_text(difference.changed_ns - difference.base_ns), percent.empty() ? "" : ", ", percent);
}

std::string setup_sentence(const gate::Difference& difference) {
  constexpr int64_t kMinPart = 20;
  const auto sentence_of = [&](std::string_view when, const gate::Setup& base, const gate::Setup& changed,
                               std::optional<int64_t> gate::Setup::* what) {
    const int64_t before = (base.*what).value_or(0);
    const int64_t after = (changed.*what).value_or(0);
    const bool is_long = std::max(before, after) >= std::max(difference.base_ns, difference.changed_ns) / kMinPart;
    return is_long ? fmt::format("{}: {} -> {}", when, time_text(real(before)), time_text(real(after))) : std::string();
  };
  if (difference.part != gate::PartOfRun::gpu_work) return {};
  const gate::Setup& base = difference.base_setup;
  const gate::Setup& changed = difference.changed_setup;
  const std::string before = sentence_of("Before the first GPU work", base, changed, &gate::Setup::before_ns);
  const std::string after = sentence_of("After the last", base, changed, &gate::Setup::after_ns);
  return before + (before.empty() || after.empty() ? "" : ". ") + after;
}

}  // namespace sonde
