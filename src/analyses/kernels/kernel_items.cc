#include "analyses/kernels/kernel_items.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

#include "analyses/kernels/function_identity.h"
#include "analyses/kernels/launch_occupancy.h"
#include "analyses/tables/table.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// Without what the driver takes for itself, as a timeline has it.
int64_t shared_bytes_of(const Trace& trace, const KernelProfile& profile) {
  const auto number = [&](std::string_view name) { return metric_number(trace, profile, name); };
  const auto fixed = number("launch__shared_mem_per_block_static");
  const auto dynamic = number("launch__shared_mem_per_block_dynamic");
  if (fixed && dynamic) return integer_cell(*fixed + *dynamic);
  const auto all = number("launch__shared_mem_per_block");
  return all ? integer_cell(*all - number("launch__shared_mem_per_block_driver").value_or(0)) : kUnknown;
}

template <typename T>
T at(const std::vector<T>& column, Row row, T otherwise) {
  return row < column.size() ? column[row] : otherwise;
}

/// The names of both sides' functions, each different pair once.
class FunctionTable {
 public:
  void add(const Trace& trace, NameId declaration, NameId mangled) {
    const FunctionNames names{trace.name(declaration), trace.name(mangled)};
    const auto [found, fresh] =
        known_.try_emplace(std::pair(names.declaration, names.mangled), static_cast<uint32_t>(names_.size()));
    if (fresh) names_.push_back(names);
    rows_.push_back(found->second);
  }
  /// The function of each that was added, in that order.
  [[nodiscard]] Ids functions() const {
    const std::vector<uint32_t> numbers = number_functions(names_);
    Ids functions;
    functions.reserve(rows_.size());
    for (const uint32_t row : rows_) functions.push_back(numbers[row]);
    return functions;
  }

 private:
  boost::unordered_flat_map<std::pair<std::string_view, std::string_view>, uint32_t> known_;
  std::vector<FunctionNames> names_;
  Ids rows_;
};

KernelItem item_of_launch(const Trace& timeline, Row row, uint32_t path) {
  const LaunchResources resources = resources_of_row(timeline, row);
  return {.grid = at(timeline.kernels.grid, row, Dim3{}),
          .block = at(timeline.kernels.block, row, Dim3{}),
          .registers = resources.registers_per_thread.value_or(kUnknown),
          .shared = resources.shared_bytes.value_or(kUnknown),
          .path = path};
}

KernelItem item_of_profile(const Trace& reports, const KernelProfile& profile, uint32_t path) {
  return {.grid = profile.grid,
          .block = profile.block,
          .registers = integer_cell(metric_number(reports, profile, "launch__registers_per_thread")),
          .shared = shared_bytes_of(reports, profile),
          .path = path};
}

/// A report that tells the grids of others has none of a launch that failed.
void mark_failed(const Trace& reports, std::vector<KernelItem>& measured) {
  std::vector<bool> has_grids(reports.ranks.size(), false);
  for (const KernelProfile& p : reports.kernel_profiles) has_grids[p.rank] = has_grids[p.rank] || p.grid[0] != 0;
  for (size_t p = 0; p < measured.size(); ++p) {
    measured[p].failed = measured[p].grid[0] == 0 && has_grids[reports.kernel_profiles[p].rank];
  }
}

KernelItems all_items(const Trace& timeline, const Trace& reports) {
  KernelItems items;
  items.ranges = range_paths(timeline, reports);
  FunctionTable table;
  for (Row row = 0; row < row_count(timeline.kernels); ++row) {
    table.add(timeline, timeline.kernels.name[row], at(timeline.kernels.mangled_name, row, kNone));
    items.launches.push_back(item_of_launch(timeline, row, items.ranges.of_launch[row]));
  }
  for (size_t p = 0; p < reports.kernel_profiles.size(); ++p) {
    const KernelProfile& profile = reports.kernel_profiles[p];
    table.add(reports, profile.name, profile.mangled_name);
    items.measured.push_back(item_of_profile(reports, profile, items.ranges.of_profile[p]));
  }
  mark_failed(reports, items.measured);
  const Ids functions = table.functions();
  const size_t launches = items.launches.size();
  for (size_t i = 0; i < launches; ++i) items.launches[i].function = functions[i];
  for (size_t i = 0; i < items.measured.size(); ++i) items.measured[i].function = functions[launches + i];
  return items;
}

/// Properties that one kernel of a function does not tell count for none of that function.
void forget_what_some_lack(KernelItems& items) {
  const auto each = [&](auto f) {
    std::ranges::for_each(items.launches, f);
    std::ranges::for_each(items.measured, f);
  };
  struct Lacks {
    bool grid = false, block = false, registers = false, shared = false;
  };
  boost::unordered_flat_map<uint32_t, Lacks> lacks;
  each([&](const KernelItem& item) {
    if (item.failed) return;
    Lacks& some = lacks[item.function];
    some.grid |= item.grid[0] == 0;
    some.block |= item.block[0] == 0;
    some.registers |= item.registers == kUnknown;
    some.shared |= item.shared == kUnknown;
  });
  each([&](KernelItem& item) {
    const Lacks& some = lacks[item.function];
    if (some.grid) item.grid = {};
    if (some.block) item.block = {};
    if (some.registers) item.registers = kUnknown;
    if (some.shared) item.shared = kUnknown;
  });
}

}  // namespace

KernelItems kernel_items(const Trace& timeline, const Trace& reports) {
  KernelItems items = all_items(timeline, reports);
  forget_what_some_lack(items);
  return items;
}

}  // namespace sonde
