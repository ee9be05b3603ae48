#include "analyses/module_table.h"

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>

#include <fmt/format.h>

namespace sonde {
namespace {

/// One line of the table.
struct Line {
  std::string name;
  uint32_t depth = 0;
  std::optional<int64_t> calls = {};
  std::optional<int64_t> host_ns = {};
  std::optional<int64_t> host_self_ns = {};
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
      lines_.push_back({.name = "(outside any module)", .self = tree.outside, .total = tree.outside});
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
      const Module& m = tree_.modules[*child];
      lines_.push_back({m.name, depth, m.calls, m.host_ns, m.host_self_ns, m.self, m.total});
      add_children(*child, depth + 1);
    }
    add_small({small, children.end()}, depth);
  }

  [[nodiscard]] bool is_small(const Module& module) const {
    return static_cast<double>(module.total.device_ns) < least_ns_;
  }

  void add_small(std::span<const uint32_t> modules, uint32_t depth) {
    if (modules.empty()) return;
    Line line{.name = fmt::format("({} smaller)", modules.size()), .depth = depth, .calls = 0, .host_ns = 0};
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

std::string identity(const std::vector<Line>& lines, const ModuleTree& tree) {
  int64_t self = 0;
  for (const Line& line : lines) self += line.self.device_ns;
  self -= tree.outside.device_ns;
  return fmt::format(
      "Device Self of all modules ({} ns) and what lies outside any ({} ns) are together the busy time of the GPUs "
      "({} ns).",
      self, tree.outside.device_ns, tree.whole.device_ns);
}

}  // namespace

Table module_table(const Trace&, const ModuleTree& tree, double min_percent) {
  const std::vector<Line> lines = Lines(tree, min_percent).take();
  Table table;
  table.name = "modules";
  table.title = "Modules";
  const auto known = [](std::optional<int64_t> value) { return value.value_or(kUnknown); };
  add_share(table, lines, tree.whole.device_ns);
  add_numbers(table, "Device Total", Unit::nanoseconds, lines, [](const Line& l) { return l.total.device_ns; });
  add_numbers(table, "Device Self", Unit::nanoseconds, lines, [](const Line& l) { return l.self.device_ns; });
  add_numbers(table, "Host Total", Unit::nanoseconds, lines, [&](const Line& l) { return known(l.host_ns); });
  add_numbers(table, "Host Self", Unit::nanoseconds, lines, [&](const Line& l) { return known(l.host_self_ns); });
  add_numbers(table, "Calls", Unit::none, lines, [&](const Line& l) { return known(l.calls); });
  add_numbers(table, "Kernels", Unit::none, lines, [](const Line& l) { return l.total.kernels; });
  add_numbers(table, "Launches", Unit::none, lines, [](const Line& l) { return l.total.launches; });
  add_numbers(table, "Copies", Unit::none, lines, [](const Line& l) { return l.total.copies; });
  add_numbers(table, "Copied", Unit::bytes, lines, [](const Line& l) { return l.total.copy_bytes; });
  add_numbers(table, "Level", Unit::none, lines, [](const Line& l) { return l.depth; });
  auto& names = table.texts("Module");
  for (const Line& line : lines) names.push_back(table.keep(std::string(size_t{2} * line.depth, ' ') + line.name));
  table.note = identity(lines, tree);
  return table;
}

}  // namespace sonde
