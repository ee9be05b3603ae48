#include "gate/difference/levels.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace sonde::gate {
namespace {

/// What a row is called, and within what.
using RowName = std::pair<std::string, std::string>;

void add_part(Part& sum, const LeafSide& part) {
  if (!part.there) return;
  sum.ns = sum.ns.value_or(0) + part.ns;
  sum.count = sum.count.value_or(0) + part.count;
}

bool is_kernel(const Leaf& leaf) { return !leaf.key.idle && leaf.key.kind == WorkKind::kernel; }

class Level {
 public:
  void add(const Leaf& leaf, const RowName& name) {
    DifferenceRow& row = rows_[name];
    add_part(row.base, leaf.base);
    add_part(row.changed, leaf.changed);
    if (!is_kernel(leaf)) return;
    if (!leaf.new_name.empty() && name.first == leaf.key.name) row.new_name = leaf.new_name;
    if (!leaf.clock_ns) {
      without_clock_.push_back(name);
    } else {
      row.clock_ns = row.clock_ns.value_or(0) + *leaf.clock_ns;
    }
  }

  [[nodiscard]] std::vector<DifferenceRow> rows(int64_t least_ns) {
    for (const RowName& name : without_clock_) rows_[name].clock_ns.reset();
    std::vector<DifferenceRow> list;
    for (auto& [name, row] : rows_) {
      row.name = name.first;
      row.within = name.second;
      row.kind = kind_of_change(row.base, row.changed, least_ns);
      if (row.kind == ChangeKind::same && !row.new_name.empty()) row.kind = ChangeKind::renamed;
      list.push_back(std::move(row));
    }
    std::ranges::stable_sort(list, std::greater(), [](const DifferenceRow& row) { return std::abs(row.change_ns()); });
    return list;
  }

 private:
  std::map<RowName, DifferenceRow> rows_;
  std::vector<RowName> without_clock_;
};

/// Rows of the leaves that `name_of` gives a name.
std::vector<DifferenceRow> level(const Leaves& leaves, int64_t least_ns,
                                 const std::function<std::optional<RowName>(const LeafKey&)>& name_of) {
  Level found;
  for (const Leaf& leaf : leaves.leaves) {
    if (const auto name = name_of(leaf.key)) found.add(leaf, *name);
  }
  return found.rows(least_ns);
}

std::optional<RowName> top_name(const LeafKey& key) {
  return key.idle ? RowName{idle_title(key.name), "idle"} : RowName{"busy", ""};
}

std::optional<RowName> module_row(const LeafKey& key) {
  if (key.idle) return std::nullopt;
  return RowName{module_name(key.module), ""};
}

std::optional<RowName> kernel_row(const LeafKey& key) {
  if (key.idle) return std::nullopt;
  return RowName{key.kind == WorkKind::copy ? "[copies]" : work_name(key), ""};
}

std::optional<RowName> kernel_in_module(const LeafKey& key) {
  if (key.idle) return std::nullopt;
  return RowName{key.kind == WorkKind::copy ? "[copies] " + key.name : work_name(key), module_name(key.module)};
}

std::optional<RowName> copy_row(const LeafKey& key) {
  if (key.idle || key.kind != WorkKind::copy) return std::nullopt;
  return RowName{work_name(key), ""};
}

std::optional<RowName> idle_row(const LeafKey& key) {
  if (!key.idle) return std::nullopt;
  return RowName{idle_title(key.name) + (key.what.empty() ? "" : ": " + key.what), module_name(key.module)};
}

std::vector<DifferenceRow> call_rows(const Leaves& leaves, int64_t least_ns) {
  std::vector<DifferenceRow> rows;
  const auto part = [](const CallSide& side) {
    return side.there ? Part{std::llround(side.ns), side.count} : Part{std::nullopt, std::nullopt};
  };
  for (const CallChange& call : leaves.calls) {
    DifferenceRow row{call.name, module_name(call.module), part(call.base), part(call.changed)};
    row.kind = kind_of_change(row.base, row.changed, least_ns);
    rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(rows, std::greater(), [](const DifferenceRow& row) { return std::abs(row.change_ns()); });
  return rows;
}

/// The busy time stands first, whatever it changed by.
void busy_first(std::vector<DifferenceRow>& top) {
  std::ranges::stable_partition(top, [](const DifferenceRow& row) { return row.within.empty(); });
}

/// A kernel that was launched as often as before, in another way.
void add_shape_details(const ShapeChanges& shapes, std::vector<DifferenceRow>& rows) {
  for (DifferenceRow& row : rows) {
    const auto found = shapes.find(row.name);
    if (found == shapes.end()) continue;
    row.detail = found->second;
    if (row.kind == ChangeKind::slower || row.kind == ChangeKind::faster) row.kind = ChangeKind::other_configuration;
  }
}

}  // namespace

ChangeKind kind_of_change(const Part& base, const Part& changed, int64_t least_ns) {
  /// Of a row's time. Equal programs differ by about as much.
  constexpr int64_t kSamePart = 100;
  if (!base.ns) return ChangeKind::added;
  if (!changed.ns) return ChangeKind::removed;
  const int64_t change = *changed.ns - *base.ns;
  if (std::abs(change) <= std::max(least_ns, *base.ns / kSamePart)) return ChangeKind::same;
  const double count_change = changed.count.value_or(0) - base.count.value_or(0);
  const double by_count = base.count.value_or(0) > 0 ? count_change * static_cast<double>(*base.ns) / *base.count : 0;
  if (by_count / static_cast<double>(change) >= 0.5) return change > 0 ? ChangeKind::more : ChangeKind::fewer;
  return change > 0 ? ChangeKind::slower : ChangeKind::faster;
}

void add_levels(const Leaves& leaves, const ShapeChanges& shapes, Difference& difference) {
  const int64_t least_ns = leaves.base_ns * static_cast<int64_t>(leaves.gpus) / kMinPart;
  difference.top = level(leaves, least_ns, top_name);
  busy_first(difference.top);
  difference.modules = level(leaves, least_ns, module_row);
  difference.kernels = level(leaves, least_ns, kernel_row);
  difference.kernels_in_modules = level(leaves, least_ns, kernel_in_module);
  difference.copies = level(leaves, least_ns, copy_row);
  difference.idle = level(leaves, least_ns, idle_row);
  difference.calls = call_rows(leaves, least_ns);
  add_shape_details(shapes, difference.kernels);
  add_shape_details(shapes, difference.kernels_in_modules);
}

}  // namespace sonde::gate
