#include "gate/decide/cases.h"

#include <algorithm>
#include <regex>

#include "base/text/suggest.h"
#include "gate/decide/absence.h"
#include "gate/decide/decision.h"
#include "gate/decide/decision_words.h"
#include "gate/decide/pools.h"

namespace sonde::gate {
namespace {

/// Of how many names a note tells.
constexpr size_t kMaxNames = 3;

bool against_base(const BudgetRule& rule) { return std::holds_alternative<AllowedChange>(rule.demand); }

/// A demand for none, which a selector that fits nothing keeps to.
bool demands_none(const BudgetRule& rule) {
  const auto* const bound = std::get_if<FixedBound>(&rule.demand);
  return bound != nullptr && bound->bound == 0 && rule.metric->kind == MetricKind::exact &&
         (bound->comparison == Comparison::at_most || bound->comparison == Comparison::equal);
}

std::string subject_name(const RuleSelector& selector) {
  if (!selector.range.empty()) return worded("ranges", fmt::arg("range", selector.range));
  std::string name = selector.kernel.empty() ? "" : worded("kernels", fmt::arg("kernel", selector.kernel));
  if (!selector.module.empty()) {
    name = name.empty() ? worded("module", fmt::arg("module", selector.module))
                        : worded("in_module", fmt::arg("what", name), fmt::arg("module", selector.module));
  }
  if (selector.gpu) {
    name = name.empty() ? worded("gpu", fmt::arg("gpu", *selector.gpu))
                        : worded("on_gpu", fmt::arg("what", name), fmt::arg("gpu", *selector.gpu));
  }
  return name.empty() ? std::string(word_text("whole")) : name;
}

/// "a, b, c and 4 more".
std::string some_of(const Names& names) {
  std::string text;
  size_t listed = 0;
  for (const std::string& name : names) {
    if (listed == kMaxNames) break;
    text += (listed++ == 0 ? "" : ", ") + name;
  }
  return names.size() <= kMaxNames
             ? text
             : worded("and_more", fmt::arg("names", text), fmt::arg("count", names.size() - kMaxNames));
}

/// Fewest kept steps of any run that has some.
size_t fewest_steps(const Sides& sides) {
  size_t fewest = 0;
  for (const auto& runs : {sides.base, sides.changed}) {
    for (const RunRecord& run : runs) {
      if (!run.step_ns.empty()) fewest = fewest == 0 ? run.step_ns.size() : std::min(fewest, run.step_ns.size());
    }
  }
  return fewest;
}

Argument text_argument(std::string name, std::string text) {
  return {.name = std::move(name), .text = std::move(text)};
}

Names modules_of(std::span<const RunRecord> runs) {
  Names modules;
  for (const RunRecord& run : runs) {
    for (const WorkGroup& group : run.work) modules.insert(group.module);
    for (const CallGroup& call : run.calls) modules.insert(call.module);
    for (const IdleGroup& idle : run.idle) modules.insert(idle.module);
  }
  modules.erase("");
  return modules;
}

Times mean_times(std::span<const RunRecord> runs, const std::function<Times(const RunRecord&)>& times_of) {
  Times sums;
  for (const RunRecord& run : runs) {
    for (const auto& [name, time] : times_of(run)) sums[name] += time / static_cast<double>(runs.size());
  }
  return sums;
}

double sum_of(const Times& times) {
  double sum = 0;
  for (const auto& [name, time] : times) sum += time;
  return sum;
}

/// The kernels of a run that have a launch configuration.
Times shapes_of(const RunRecord& run) {
  Times names;
  for (const KernelShape& shape : run.shapes) names.emplace(shape.kernel, 0);
  return names;
}

/// The names of a run's ranges.
Times ranges_of(const RunRecord& run) {
  Times names;
  for (const RangeTimes& range : run.ranges) names.emplace(range.name, 0);
  return names;
}

/// The cases of one rule.
class RuleCases {
 public:
  RuleCases(const BudgetRule& rule, const Sides& sides, Cases& to)
      : rule_(rule), sides_(sides), to_(to), figure_(figure_of(*rule.metric)) {
    scope_.gpu = rule.selector.gpu;
    if (!rule.selector.module.empty()) scope_.modules = ModuleScope{.paths = {rule.selector.module}};
    scope_.last_steps = fewest_steps(sides);
  }

  void add() {
    if (auto refusal = refused()) {
      refuse(std::move(*refusal));
    } else if (figure_.each == FigureEach::range) {
      add_ranges();
    } else if (is_one()) {
      add_case(subject_name(rule_.selector), scope_);
    } else if (figure_.each == FigureEach::kernel) {
      add_shapes();
    } else if (rule_.selector.kernel.empty()) {
      add_modules();
    } else {
      add_kernels();
    }
  }

 private:
  /// Whether nothing is distinguished. That there is no baseline is said once.
  [[nodiscard]] bool is_one() const {
    if (against_base(rule_) && sides_.base.empty()) return true;
    const bool of_modules = figure_.each == FigureEach::module && rule_.selector.module.empty();
    return figure_.each != FigureEach::kernel && !of_modules && rule_.selector.kernel.empty();
  }

  [[nodiscard]] bool judged_against_base() const { return against_base(rule_) && !sides_.base.empty(); }

  void add_case(std::string name, Scope scope, std::optional<Refusal> refusal = {}) {
    Subject subject{.rule = &rule_, .name = std::move(name), .changed = {}, .base = std::nullopt, .noise_floor = {}};
    subject.changed = values_of(figure_, scope, sides_.changed);
    if (!sides_.base.empty()) subject.base = values_of(figure_, scope, sides_.base);
    if (!refusal) refusal = absence(scope);
    to_.cases.push_back(
        {.subject = std::move(subject), .figure = &figure_, .scope = std::move(scope), .refusal = std::move(refusal)});
  }

  /// Why the first run without a value has none.
  [[nodiscard]] std::optional<Refusal> absence(const Scope& scope) const {
    const auto of_side = [&](std::span<const RunRecord> runs, std::string_view side) -> std::optional<Refusal> {
      const auto absent =
          std::ranges::find_if(runs, [&](const RunRecord& r) { return figure_.values(r, scope).empty(); });
      return absent == runs.end() ? std::nullopt : why_absent(figure_, scope, *absent, word_text(side));
    };
    if (auto refusal = of_side(sides_.changed, "side_new")) return refusal;
    return judged_against_base() ? of_side(sides_.base, "side_base") : std::nullopt;
  }

  void refuse(Refusal refusal) { add_case(subject_name(rule_.selector), scope_, std::move(refusal)); }

  [[nodiscard]] std::optional<Refusal> refused() const {
    if (auto steps = mixed_steps()) return steps;
    if (demands_none(rule_)) return std::nullopt;
    if (auto gpu = missing_gpu()) return gpu;
    if (auto copies = hidden_copies()) return copies;
    return missing_module();
  }

  /// Copies that the profile does not tell enough of.
  [[nodiscard]] std::optional<Refusal> hidden_copies() const {
    if (rule_.metric->name != "pageable_copies_per_step") return std::nullopt;
    for (const auto& runs : {sides_.changed, judged_against_base() ? sides_.base : std::span<const RunRecord>()}) {
      for (const RunRecord& run : runs) {
        if (run.recorded.whole_graphs) return Refusal{.reason = "copies_in_graphs"};
        if (run.recorded.gpu_work && !run.recorded.copy_memory) return Refusal{.reason = "no_copy_memory"};
      }
    }
    return std::nullopt;
  }

  /// Figures of a step stand beside none of a whole run.
  [[nodiscard]] std::optional<Refusal> mixed_steps() const {
    if (figure_.per != FigurePer::step) return std::nullopt;
    size_t with = 0;
    size_t all = 0;
    for (const auto& runs : {judged_against_base() ? sides_.base : std::span<const RunRecord>(), sides_.changed}) {
      all += runs.size();
      with += static_cast<size_t>(std::ranges::count_if(runs, [](const RunRecord& r) { return !r.step_ns.empty(); }));
    }
    if (with == 0 || with == all) return std::nullopt;
    const auto count = [](std::string name, size_t n) {
      return Argument{.name = std::move(name), .unit = Unit::none, .number = static_cast<double>(n), .text = {}};
    };
    return Refusal{.reason = "mixed_steps", .arguments = {count("with", with), count("all", all)}};
  }

  [[nodiscard]] std::optional<Refusal> missing_gpu() const {
    if (!scope_.gpu) return std::nullopt;
    for (const RunRecord& run : sides_.changed) {
      if (std::ranges::any_of(run.gpus, [&](const GpuOfRun& gpu) { return gpu.ordinal == *scope_.gpu; })) return {};
    }
    return Refusal{.reason = "no_gpu", .arguments = {text_argument("selector", std::to_string(*scope_.gpu))}};
  }

  [[nodiscard]] std::optional<Refusal> missing_module() const {
    if (!scope_.modules) return std::nullopt;
    Names known = modules_of(sides_.base);
    known.merge(modules_of(sides_.changed));
    if (std::ranges::any_of(known, [&](const std::string& m) { return is_within(m, *scope_.modules); })) return {};
    const std::vector<std::string_view> names(known.begin(), known.end());
    Refusal refusal{.reason = "no_module", .arguments = {text_argument("selector", rule_.selector.module)}};
    if (const auto near = near_module(names)) {
      refusal.reason = "no_module_near";
      refusal.arguments.push_back(text_argument("nearest", std::string(*near)));
    }
    return refusal;
  }

  /// A path that ends as the selector, or else the one that a typing mistake makes it.
  [[nodiscard]] std::optional<std::string_view> near_module(std::span<const std::string_view> names) const {
    const std::string tail = "/" + rule_.selector.module;
    const auto ends_so = std::ranges::find_if(names, [&](std::string_view name) { return name.ends_with(tail); });
    return ends_so != names.end() ? std::optional(*ends_so) : nearest(rule_.selector.module, names);
  }

  /// Those that fit the rule's expression.
  [[nodiscard]] Times chosen(Times times) const {
    const std::string& text = figure_.each == FigureEach::range ? rule_.selector.range : rule_.selector.kernel;
    if (text.empty()) return times;
    const std::regex expression(text);
    std::erase_if(times, [&](const auto& entry) { return !std::regex_search(entry.first, expression); });
    return times;
  }

  [[nodiscard]] Scope of_kernels(Names kernels) const {
    Scope scope = scope_;
    scope.kernels = std::move(kernels);
    return scope;
  }

  static Names names_of(const Times& times) {
    Names names;
    for (const auto& [name, time] : times) names.insert(name);
    return names;
  }

  void refuse_kernels() {
    refuse({.reason = rule_.selector.kernel.empty() ? "no_kernels" : "no_kernel",
            .arguments = {text_argument("selector", rule_.selector.kernel)}});
  }

  void note_one_sided(const Names& base_only, const Names& changed_only) {
    for (const auto& [names, id] : {std::pair(&base_only, "only_in_base"), std::pair(&changed_only, "only_in_new")}) {
      if (names->empty()) continue;
      std::string note = worded(id, fmt::arg("names", some_of(*names)));
      if (std::ranges::find(to_.notes, note) == to_.notes.end()) to_.notes.push_back(std::move(note));
    }
  }

  /// Names that both sides have, or those of the new runs where no baseline is asked for. The others are noted.
  [[nodiscard]] Names shared_names(const Names& base, Names changed) {
    if (!judged_against_base()) return changed;
    Names added;
    Names removed;
    std::ranges::set_difference(changed, base, std::inserter(added, added.end()));
    std::ranges::set_difference(base, changed, std::inserter(removed, removed.end()));
    std::erase_if(changed, [&](const std::string& name) { return added.contains(name); });
    note_one_sided(removed, added);
    return changed;
  }

  /// Registers and their like.
  void add_shapes() {
    const Names base = names_of(chosen(mean_times(sides_.base, shapes_of)));
    const Names shared = shared_names(base, names_of(chosen(mean_times(sides_.changed, shapes_of))));
    if (shared.empty()) refuse_kernels();
    for (const std::string& name : shared) add_case(name, of_kernels({name}));
  }

  void add_ranges() {
    const Names base = names_of(chosen(mean_times(sides_.base, ranges_of)));
    const Names changed = names_of(chosen(mean_times(sides_.changed, ranges_of)));
    if (judged_against_base() && changed.empty() && !base.empty()) {
      return refuse(
          {.reason = "no_range_now",
           .arguments = {text_argument("selector", rule_.selector.range), text_argument("names", some_of(base))}});
    }
    const Names shared = shared_names(base, changed);
    if (shared.empty()) return refuse_ranges();
    for (const std::string& name : shared) {
      Scope scope = scope_;
      scope.range = name;
      add_case(worded("range", fmt::arg("range", name)), std::move(scope));
    }
  }

  void refuse_ranges() {
    const auto drops = [](const RunRecord& run) { return run.dropped_ranges.has_value(); };
    const bool dropped = std::ranges::any_of(sides_.changed, drops) || std::ranges::any_of(sides_.base, drops);
    refuse({.reason = dropped ? "no_kept_range" : "no_range",
            .arguments = {text_argument("selector", rule_.selector.range),
                          text_argument("kept", std::to_string(kMaxRangeNames))}});
  }

  void add_kernels() {
    const auto times = [&](const RunRecord& run) { return kernel_times(run, scope_); };
    const Times all = mean_times(sides_.base, times);
    const Times base = chosen(all);
    const Times changed = chosen(mean_times(sides_.changed, times));
    Names both = names_of(base);
    both.merge(names_of(changed));
    if ((against_base(rule_) ? both.empty() : changed.empty()) && !demands_none(rule_)) {
      refuse_kernels();
    } else if (judged_against_base() && changed.empty()) {
      refuse({.reason = "no_kernel_now",
              .arguments = {text_argument("selector", rule_.selector.kernel),
                            text_argument("names", some_of(names_of(base)))}});
    } else if (figure_.each != FigureEach::chosen_kernel) {
      add_case(subject_name(rule_.selector), of_kernels(std::move(both)));
    } else if (!against_base(rule_)) {
      for (const auto& [name, time] : changed) add_case(name, of_kernels({name}));
    } else {
      add_pools(pools_of(base, changed, sum_of(all)), "kernels", [&](const Names& names) { return of_kernels(names); });
    }
  }

  void add_modules() {
    const auto times = [&](const RunRecord& run) { return module_times(run, scope_); };
    const Times base = mean_times(sides_.base, times);
    const Times changed = mean_times(sides_.changed, times);
    if (base.empty() && changed.empty()) {
      refuse({.reason = "no_modules"});
    } else if (!judged_against_base()) {
      for (const auto& [name, time] : changed) {
        add_case(worded("module", fmt::arg("module", name)), of_modules({name}, true));
      }
    } else {
      add_pools(pools_of(base, changed, sum_of(base)), "modules",
                [&](const Names& names) { return of_modules(names, false); });
    }
  }

  [[nodiscard]] Scope of_modules(Names paths, bool inside) const {
    Scope scope = scope_;
    scope.modules = ModuleScope{.paths = std::move(paths), .inside = inside};
    return scope;
  }

  void add_pools(const Pools& pools, std::string_view kind, const std::function<Scope(const Names&)>& scope_of) {
    const bool kernels = kind == "kernels";
    for (const std::string& name : pools.single) {
      add_case(kernels ? name : worded("module", fmt::arg("module", name)),
               kernels ? scope_of({name}) : of_modules({name}, true));
    }
    if (!pools.small.empty()) {
      add_case(worded(kernels ? "small_kernels" : "small_modules", fmt::arg("count", pools.small.size())),
               scope_of(pools.small));
    }
    Names one_sided = pools.base_only;
    one_sided.insert(pools.changed_only.begin(), pools.changed_only.end());
    if (one_sided.empty()) return;
    add_case(std::string(word_text(kernels ? "one_sided_kernels" : "one_sided_modules")), scope_of(one_sided));
    note_one_sided(pools.base_only, pools.changed_only);
  }

  const BudgetRule& rule_;
  const Sides& sides_;
  Cases& to_;
  const Figure& figure_;
  Scope scope_;
};

}  // namespace

TimedRuns values_of(const Figure& figure, const Scope& scope, std::span<const RunRecord> runs) {
  TimedRuns values;
  for (const RunRecord& run : runs) values.push_back(figure.values(run, scope));
  return values;
}

Cases cases_of(const Budget& budget, const Sides& sides) {
  Cases cases;
  for (const BudgetRule& rule : budget.rules) RuleCases(rule, sides, cases).add();
  return cases;
}

std::vector<Subject> subjects_of(const Budget& budget, std::span<const RunRecord> base,
                                 std::span<const RunRecord> changed) {
  std::vector<Subject> subjects;
  for (Case& one : cases_of(budget, {.base = base, .changed = changed}).cases) {
    subjects.push_back(std::move(one.subject));
  }
  return subjects;
}

}  // namespace sonde::gate
