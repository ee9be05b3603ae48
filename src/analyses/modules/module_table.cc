#include "analyses/modules/module_table.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <tuple>

#include <fmt/format.h>

#include "analyses/modules/module_kernel_columns.h"
#include "analyses/modules/module_memory.h"
#include "analyses/modules/module_ranks.h"
#include "analyses/modules/module_steps.h"

namespace sonde {
namespace {

/// One line of the table.
struct Line {
  std::string name;
  uint32_t depth = 0;
  std::optional<int64_t> calls = {};
  std::optional<int64_t> host_ns = {};
  std::optional<int64_t> host_self_ns = {};
  std::vector<uint32_t> modules = {};  ///< whose sum it is; kNone is what lies outside
  LaunchedWork self = {};
  LaunchedWork total = {};
};

/// Lines in the order in which people read the tree.
class Lines {
 public:
  Lines(const ModuleTree& tree, double min_percent)
      : tree_(tree), least_ns_(static_cast<double>(tree.whole.device_ns) * min_percent / 100) {
    children_.resize(tree.modules.size() + 1);
    for (uint32_t m = 0; m < tree.modules.size(); ++m) children_of(tree.modules[m].parent).push_back(m);
    add_children(kNone, 0);
    if (tree.outside.launches + tree.outside.kernels + tree.outside.copies + tree.outside.sets > 0) {
      lines_.push_back(
          {.name = "(outside any module)", .modules = {kNone}, .self = tree.outside, .total = tree.outside});
    }
  }
  [[nodiscard]] std::vector<Line> take() { return std::move(lines_); }

 private:
  std::vector<uint32_t>& children_of(uint32_t parent) {
    return children_[parent == kNone ? tree_.modules.size() : parent];
  }

  void add_children(uint32_t parent, uint32_t depth) {
    std::vector<uint32_t>& children = children_of(parent);
    std::ranges::sort(children, {}, [&](uint32_t m) {
      const Module& module = tree_.modules[m];
      return std::tuple(-module.total.device_ns, -module.host_ns, m);
    });
    const auto small = std::ranges::find_if(children, [&](uint32_t m) { return is_small(tree_.modules[m]); });
    for (auto child = children.begin(); child != small; ++child) {
      lines_.push_back(line_of(*child, depth));
      add_children(*child, depth + 1);
    }
    add_small({small, children.end()}, depth);
  }

  [[nodiscard]] Line line_of(uint32_t module, uint32_t depth) const {
    const Module& m = tree_.modules[module];
    Line line{.name = m.name, .depth = depth, .calls = m.calls, .modules = {module}, .self = m.self, .total = m.total};
    if (m.open_calls == m.calls) return line;
    line.host_ns = m.host_ns;
    line.host_self_ns = m.host_self_ns;
    return line;
  }

  [[nodiscard]] bool is_small(const Module& module) const {
    return static_cast<double>(module.total.device_ns) < least_ns_;
  }

  void add_small(std::span<const uint32_t> modules, uint32_t depth) {
    if (modules.empty()) return;
    Line line{.name = fmt::format("({} smaller)", modules.size()), .depth = depth, .calls = 0, .host_ns = 0};
    line.modules.assign(modules.begin(), modules.end());
    for (const uint32_t m : modules) {
      *line.calls += tree_.modules[m].calls;
      *line.host_ns += tree_.modules[m].host_ns;
      line.total += tree_.modules[m].total;
    }
    line.self = line.total;  // with what they hold: nothing of it is shown elsewhere
    lines_.push_back(std::move(line));
  }

  const ModuleTree& tree_;
  double least_ns_;
  std::vector<std::vector<uint32_t>> children_;
  std::vector<Line> lines_;
};

template <typename Value>
void add_numbers(Table& table, std::string name, Unit unit, const std::vector<Line>& lines, Value value) {
  auto& column = table.integers(std::move(name), unit);
  for (const Line& line : lines) column.push_back(value(line));
}

void add_share(Table& table, const std::vector<Line>& lines, int64_t busy_ns) {
  auto& column = table.reals("Device", Unit::percent, 1);
  for (const Line& line : lines) {
    const double share = 100 * static_cast<double>(line.total.device_ns) / static_cast<double>(busy_ns);
    column.push_back(busy_ns > 0 ? share : kAbsent);
  }
}

void add_host_columns(Table& table, const std::vector<Line>& lines) {
  const auto known = [](std::optional<int64_t> value) { return value.value_or(kUnknown); };
  add_numbers(table, "Host Total", Unit::nanoseconds, lines, [&](const Line& l) { return known(l.host_ns); });
  add_numbers(table, "Host Self", Unit::nanoseconds, lines, [&](const Line& l) { return known(l.host_self_ns); });
}

void add_launch_columns(Table& table, const std::vector<Line>& lines) {
  add_numbers(table, "Launches", Unit::none, lines, [](const Line& l) { return l.total.launches; });
  add_numbers(table, "Copies", Unit::none, lines, [](const Line& l) { return l.total.copies; });
  add_numbers(table, "Copied", Unit::bytes, lines, [](const Line& l) { return l.total.copy_bytes; });
}

/// What was measured of the modules of each line.
std::vector<MeasuredKernels> kernels_of(const std::vector<Line>& lines, const ModuleKernels& kernels) {
  std::vector<MeasuredKernels> measured;
  for (const Line& line : lines) {
    MeasuredKernels& sum = measured.emplace_back();
    for (const uint32_t m : line.modules) sum += m == kNone ? kernels.outside : kernels.total[m];
  }
  return measured;
}

/// Columns only where allocations were traced. Of modules together the highest peak and the sum of their growth.
void add_memory_columns(Table& table, const std::vector<Line>& lines, const std::vector<ModuleMemory>& memory) {
  if (memory.empty()) return;
  auto& peak = table.integers("Memory Peak", Unit::bytes);
  auto& growth = table.integers("Memory Growth", Unit::bytes);
  for (const Line& line : lines) {
    ModuleMemory all;
    for (const uint32_t m : line.modules) {
      if (m != kNone) all += memory[m];
    }
    peak.push_back(all.peak_bytes);
    growth.push_back(all.growth_bytes);
  }
}

/// The last steps, as many as can be kept for each module.
ModuleSteps with_last_steps(ModuleSteps steps, size_t modules) {
  constexpr size_t kMaxFigures = 32 << 20;  // a quarter of a gigabyte
  auto& steady = steps.found.steady;
  auto& launched = steps.found.launched;
  const size_t most = std::max<size_t>(1, kMaxFigures / (modules + 1));
  if (steady.size() <= most) return steps;
  steady.erase(steady.begin(), steady.end() - static_cast<std::ptrdiff_t>(most));
  launched.erase(launched.begin(), launched.end() - static_cast<std::ptrdiff_t>(most));
  return steps;
}

/// Device time a step of each line. The spread of several modules together is not known from theirs.
void add_step_columns(Table& table, const std::vector<Line>& lines, const std::vector<StepTime>& times,
                      const ModuleSteps& steps) {
  const auto step_of = [&](uint32_t module) { return times[module == kNone ? times.size() - 1 : module]; };
  double step_ns = 0;
  for (const auto& [start, end] : steps.found.steady) step_ns += static_cast<double>(end - start);
  step_ns /= static_cast<double>(steps.found.steady.size());
  auto& mean = table.reals("Step Avg", Unit::nanoseconds, 1);
  auto& spread = table.reals("Step StdDev", Unit::nanoseconds, 1);
  auto& share = table.reals("Step", Unit::percent, 1);
  auto* item = steps.items_per_step > 0 ? &table.reals("Item Avg", Unit::nanoseconds, 1) : nullptr;
  for (const Line& line : lines) {
    double ns = 0;
    for (const uint32_t m : line.modules) ns += step_of(m).mean_ns;
    mean.push_back(ns);
    spread.push_back(line.modules.size() == 1 ? step_of(line.modules.front()).stddev_ns : kAbsent);
    share.push_back(step_ns > 0 ? 100 * ns / step_ns : kAbsent);
    if (item != nullptr) item->push_back(ns / static_cast<double>(steps.items_per_step));
  }
}

std::vector<std::vector<uint32_t>> modules_of(const std::vector<Line>& lines) {
  std::vector<std::vector<uint32_t>> modules;
  for (const Line& line : lines) modules.push_back(line.modules);
  return modules;
}

std::string steps_note(const ModuleSteps& steps) {
  const WarmUp& found = steps.found;
  const auto count = static_cast<double>(found.steady.size());
  // Wall time of a step: from one start to the next, which what lies between two of them belongs to.
  const double wall_ns = static_cast<double>(found.steady.back().second - found.steady.front().first) / count;
  std::string note = fmt::format("\nStep: range '{}', {} steps after {} of the warm-up, {:.0f} ns per step.",
                                 found.range, found.steady.size(), found.slow_iterations, wall_ns);
  if (steps.items_per_step > 0) {
    const auto items = static_cast<double>(steps.items_per_step);
    note += fmt::format(" {:.1f} items per second, {:.0f} ns per item.", items * 1e9 / wall_ns, wall_ns / items);
  }
  return note;
}

/// What a narrow terminal can do without, the most dispensable first.
void let_columns_yield(Table& table) {
  int rank = 20;
  for (const std::string_view name : {"Memory Growth", "Copied", "Copies", "Launches", "Step StdDev", "Host Self",
                                      "Memory Peak", "Calls", "Kernels", "GPU Idle", "Host Total"}) {
    const auto column = std::ranges::find(table.columns, name, &Column::name);
    if (column != table.columns.end()) column->yields = rank--;
  }
}

/// For people: where nothing is known of what a GPU did, its columns are left out.
void leave_device_out(Table& table, const std::vector<Line>& lines) {
  std::vector<std::string_view> of_device = {"Device",  "Device Total", "Device Self", "GPU Idle",
                                             "Kernels", "Copies",       "Copied"};
  const bool launched = std::ranges::any_of(lines, [](const Line& l) { return l.total.launches > 0; });
  if (!launched) of_device.emplace_back("Launches");
  std::vector<size_t> found;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (std::ranges::find(of_device, table.columns[i].name) != of_device.end()) found.push_back(i);
  }
  table.drop_columns(found);
}

std::string identity(const std::vector<Line>& lines, const ModuleTree& tree) {
  if (tree.whole.device_ns == 0) return "This profile has no GPU activity.";
  int64_t self = 0;
  for (const Line& line : lines) self += line.self.device_ns;
  self -= tree.outside.device_ns;
  return fmt::format(
      "Device Self of all modules ({} ns) plus GPU time outside any module ({} ns) is the busy time of the GPUs "
      "({} ns).",
      self, tree.outside.device_ns, tree.whole.device_ns);
}

}  // namespace

Table module_table(const Trace& trace, const ModuleTree& tree, const ModuleTableOptions& options) {
  const std::vector<Line> lines = Lines(tree, options.min_percent).take();
  Table table;
  table.name = "modules";
  table.title = "Modules";
  add_share(table, lines, tree.whole.device_ns);
  add_numbers(table, "Device Total", Unit::nanoseconds, lines, [](const Line& l) { return l.total.device_ns; });
  add_numbers(table, "Device Self", Unit::nanoseconds, lines, [](const Line& l) { return l.self.device_ns; });
  add_numbers(table, "GPU Idle", Unit::nanoseconds, lines, [](const Line& l) { return l.total.idle_ns; });
  const bool all = options.kernels == nullptr || !options.indented;
  if (all) add_host_columns(table, lines);
  add_numbers(table, "Calls", Unit::none, lines, [](const Line& l) { return l.calls.value_or(kUnknown); });
  add_numbers(table, "Kernels", Unit::none, lines, [](const Line& l) { return l.total.kernels; });
  if (all) add_launch_columns(table, lines);
  if (options.kernels != nullptr) add_kernel_columns(table, kernels_of(lines, *options.kernels), options.indented);
  if (all) add_memory_columns(table, lines, module_memory(trace, tree));
  const auto steps = options.steps ? with_last_steps(*options.steps, tree.modules.size()) : options.steps;
  const bool has_device = tree.whole.device_ns > 0 || !options.indented;
  if (steps && has_device) add_step_columns(table, lines, step_times(trace, tree, steps->found.launched), *steps);
  if (options.by_rank) add_rank_columns(table, trace, tree, modules_of(lines));
  if (!has_device) leave_device_out(table, lines);
  let_columns_yield(table);
  if (!options.indented) add_numbers(table, "Level", Unit::none, lines, [](const Line& l) { return l.depth; });
  auto& names = table.texts("Module");
  for (const Line& line : lines)
    names.push_back(table.keep(std::string(options.indented ? size_t{2} * line.depth : 0, ' ') + line.name));
  table.note = identity(lines, tree);
  if (steps) table.note += steps_note(*steps);
  return table;
}

}  // namespace sonde
