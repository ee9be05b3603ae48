#include "analyses/kernel_join.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include "analyses/function_identity.h"
#include "analyses/launch_occupancy.h"
#include "analyses/range_paths.h"
#include "metrics/quantities.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// A launch of the timeline or a measured kernel, as far as it is compared.
struct Item {
  uint32_t function = 0;
  Dim3 grid{};
  Dim3 block{};
  int64_t registers = kUnknown;
  int64_t shared = kUnknown;
  uint32_t path = 0;    ///< row of RangePaths::paths
  bool failed = false;  ///< the profiler names the launch and has no shape of it, as for a launch that failed
};

int64_t whole(std::optional<double> number) { return number ? static_cast<int64_t>(*number) : kUnknown; }

/// Without what the driver takes for itself, as a timeline has it.
int64_t shared_bytes_of(const Trace& trace, const KernelProfile& profile) {
  const auto number = [&](std::string_view name) { return metric_number(trace, profile, name); };
  const auto fixed = number("launch__shared_mem_per_block_static");
  const auto dynamic = number("launch__shared_mem_per_block_dynamic");
  if (fixed && dynamic) return whole(*fixed + *dynamic);
  const auto all = number("launch__shared_mem_per_block");
  return all ? whole(*all - number("launch__shared_mem_per_block_driver").value_or(0)) : kUnknown;
}

template <typename T>
T at(const std::vector<T>& column, Row row, T otherwise) {
  return row < column.size() ? column[row] : otherwise;
}

struct Items {
  std::vector<Item> launches;
  std::vector<Item> measured;
  RangePaths ranges;
};

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

Items items_of(const Trace& timeline, const Trace& reports) {
  const Kernels& kernels = timeline.kernels;
  Items items;
  items.ranges = range_paths(timeline, reports);
  FunctionTable table;
  for (Row row = 0; row < row_count(kernels); ++row) {
    table.add(timeline, kernels.name[row], at(kernels.mangled_name, row, kNone));
    const LaunchResources resources = resources_of_row(timeline, row);
    items.launches.push_back({.grid = at(kernels.grid, row, Dim3{}),
                              .block = at(kernels.block, row, Dim3{}),
                              .registers = resources.registers_per_thread.value_or(kUnknown),
                              .shared = resources.shared_bytes.value_or(kUnknown),
                              .path = items.ranges.of_launch[row]});
  }
  std::vector<bool> tells_grids(reports.ranks.size(), false);
  for (const KernelProfile& p : reports.kernel_profiles) tells_grids[p.rank] = tells_grids[p.rank] || p.grid[0] != 0;
  for (size_t p = 0; p < reports.kernel_profiles.size(); ++p) {
    const KernelProfile& profile = reports.kernel_profiles[p];
    table.add(reports, profile.name, profile.mangled_name);
    items.measured.push_back({.grid = profile.grid,
                              .block = profile.block,
                              .registers = whole(metric_number(reports, profile, "launch__registers_per_thread")),
                              .shared = shared_bytes_of(reports, profile),
                              .path = items.ranges.of_profile[p],
                              .failed = profile.grid[0] == 0 && tells_grids[profile.rank]});
  }
  const Ids functions = table.functions();
  for (size_t i = 0; i < functions.size(); ++i) {
    const size_t launches = items.launches.size();
    (i < launches ? items.launches[i] : items.measured[i - launches]).function = functions[i];
  }
  return items;
}

/// Properties that one kernel of a function does not tell count for none of that function.
void forget_what_some_lack(Items& items) {
  const auto each = [&](auto f) {
    std::ranges::for_each(items.launches, f);
    std::ranges::for_each(items.measured, f);
  };
  struct Lacks {
    bool grid = false, block = false, registers = false, shared = false;
  };
  boost::unordered_flat_map<uint32_t, Lacks> lacks;
  each([&](const Item& item) {
    if (item.failed) return;
    Lacks& some = lacks[item.function];
    some.grid |= item.grid[0] == 0;
    some.block |= item.block[0] == 0;
    some.registers |= item.registers == kUnknown;
    some.shared |= item.shared == kUnknown;
  });
  each([&](Item& item) {
    const Lacks& some = lacks[item.function];
    if (some.grid) item.grid = {};
    if (some.block) item.block = {};
    if (some.registers) item.registers = kUnknown;
    if (some.shared) item.shared = kUnknown;
  });
}

using ConfigurationKey = std::tuple<uint32_t, Dim3, Dim3, int64_t, int64_t>;
using GroupKey = std::pair<ConfigurationKey, Ids>;

ConfigurationKey configuration_of(const Item& item) {
  return {item.function, item.grid, item.block, item.registers, item.shared};
}
GroupKey group_of(const Item& item, const RangePaths& ranges) {
  return {configuration_of(item), ranges.paths[item.path].places};
}

struct Group {
  Ids launches;
  Ids measured;
};

/// How many labels are equal from the inside out. Both paths are of one place, so that they are equally long.
size_t equal_from_inside(const Ids& a, const Ids& b) {
  size_t equal = 0;
  while (equal < a.size() && a[a.size() - 1 - equal] == b[b.size() - 1 - equal]) ++equal;
  return equal;
}

class Joiner {
 public:
  Joiner(const Trace& timeline, const Trace& reports)
      : timeline_(timeline), reports_(reports), items_(items_of(timeline, reports)) {
    forget_what_some_lack(items_);
    join_.timeline = &timeline;
    join_.reports = &reports;
    join_.sample_of.assign(items_.launches.size(), kNone);
  }

  KernelJoin join() {
    for (Row row = 0; row < items_.launches.size(); ++row) group(items_.launches[row]).launches.push_back(row);
    for (Row row = 0; row < items_.measured.size(); ++row) group(items_.measured[row]).measured.push_back(row);
    for (Group& group : groups_) {
      if (!group.launches.empty() && !group.measured.empty()) match(group);
    }
    count();
    list_unmatched();
    return std::move(join_);
  }

 private:
  Group& group(const Item& item) {
    const auto [found, fresh] = group_at_.try_emplace(group_of(item, items_.ranges), groups_.size());
    if (fresh) groups_.emplace_back();
    return groups_[found->second];
  }

  void match(Group& group) {
    join_.counts.matched_measured += static_cast<int64_t>(group.measured.size());
    std::ranges::stable_sort(group.launches, {}, [&](Row row) { return issued_at(row); });
    if (in_known_order(group)) {
      match_by_order(group);
    } else {
      match_by_ranges(group);
    }
  }

  [[nodiscard]] Row call_of(Row launch) const { return at(timeline_.kernels.launch, launch, kNone); }
  [[nodiscard]] std::pair<int64_t, int64_t> issued_at(Row launch) const {
    const Row call = call_of(launch);
    const int64_t start = timeline_.kernels.start[launch];
    return {call == kNone ? start : timeline_.api.start[call], start};
  }
  [[nodiscard]] uint32_t thread_of(Row launch) const {
    const Row call = call_of(launch);
    return call == kNone ? kNone : at(timeline_.api.thread, call, kNone);
  }

  /// Two threads do not launch in the same order in each run.
  [[nodiscard]] bool in_known_order(const Group& group) const {
    const auto other_thread = [&](Row row) { return thread_of(row) != thread_of(group.launches.front()); };
    if (std::ranges::any_of(group.launches, other_thread)) return false;
    return std::ranges::all_of(by_report(group), [&](const auto& entry) {
      const Ids& measured = entry.second;
      const KernelProfile& first = reports_.kernel_profiles[measured.front()];
      return measured.size() == group.launches.size() && std::ranges::all_of(measured, [&](uint32_t row) {
               const KernelProfile& profile = reports_.kernel_profiles[row];
               return profile.process == first.process && profile.thread == first.thread;
             });
    });
  }

  /// Measured kernels of each report: several reports can have measured the same launches.
  [[nodiscard]] std::map<RankId, Ids> by_report(const Group& group) const {
    std::map<RankId, Ids> reports;
    for (const uint32_t row : group.measured) reports[reports_.kernel_profiles[row].rank].push_back(row);
    return reports;
  }

  void match_by_order(const Group& group) {
    const auto reports = by_report(group);
    for (size_t i = 0; i < group.launches.size(); ++i) {
      KernelSample sample{.profiles = {}, .own = true};
      for (const auto& [report, measured] : reports) sample.profiles.push_back(measured[i]);
      join_.sample_of[group.launches[i]] = add(std::move(sample));
    }
  }

  void match_by_ranges(const Group& group) {
    boost::unordered_flat_map<uint32_t, uint32_t> sample_of_path;
    for (const Row launch : group.launches) {
      const uint32_t path = items_.launches[launch].path;
      const auto [found, fresh] = sample_of_path.try_emplace(path, kNone);
      if (fresh) found->second = add({.profiles = nearest(group, path), .own = false});
      join_.sample_of[launch] = found->second;
    }
  }

  [[nodiscard]] Ids nearest(const Group& group, uint32_t path) const {
    const auto& paths = items_.ranges.paths;
    Ids best;
    size_t most = 0;
    for (const uint32_t row : group.measured) {
      const size_t equal = equal_from_inside(paths[path].labels, paths[items_.measured[row].path].labels);
      if (equal > most) best.clear();
      most = std::max(most, equal);
      if (equal == most) best.push_back(row);
    }
    return best;
  }

  uint32_t add(KernelSample sample) {
    join_.samples.push_back(std::move(sample));
    return static_cast<uint32_t>(join_.samples.size() - 1);
  }

  void count() {
    JoinCounts& counts = join_.counts;
    counts.launches = static_cast<int64_t>(items_.launches.size());
    counts.measured = static_cast<int64_t>(items_.measured.size());
    for (Row row = 0; row < items_.launches.size(); ++row) {
      const int64_t ns = duration_ns(row);
      counts.launches_ns += ns;
      const KernelSample* sample = join_.sample(row);
      if (sample == nullptr) continue;
      ++counts.matched_launches;
      counts.matched_launches_ns += ns;
      if (sample->own) ++counts.own_launches;
    }
  }

  [[nodiscard]] int64_t duration_ns(Row launch) const {
    return timeline_.kernels.end[launch] - timeline_.kernels.start[launch];
  }

  void list_unmatched() {
    const Sides of_launches = sides(items_.launches);
    const Sides of_measured = sides(items_.measured);
    boost::unordered_flat_map<ConfigurationKey, size_t, boost::hash<ConfigurationKey>> launches_at;
    boost::unordered_flat_map<ConfigurationKey, size_t, boost::hash<ConfigurationKey>> measured_at;
    for (const Group& group : groups_) {
      if (!group.launches.empty() && !group.measured.empty()) continue;
      for (const Row row : group.launches) {
        const Item& item = items_.launches[row];
        auto& entry = entry_of(item, of_measured, launches_at, join_.unmatched_launches);
        entry.name = timeline_.name(timeline_.kernels.name[row]);
        entry.duration_ns += duration_ns(row);
      }
      for (const Row row : group.measured) {
        const Item& item = items_.measured[row];
        entry_of(item, of_launches, measured_at, join_.unmatched_measured).name =
            reports_.name(reports_.kernel_profiles[row].name);
      }
    }
    std::ranges::stable_sort(join_.unmatched_launches, std::greater(), &UnmatchedKernel::duration_ns);
  }

  /// What one side has, for the reasons of the other.
  struct Sides {
    boost::unordered_flat_map<uint32_t, bool> functions;
    boost::unordered_flat_map<ConfigurationKey, bool, boost::hash<ConfigurationKey>> configurations;
  };
  static Sides sides(const std::vector<Item>& items) {
    Sides sides;
    for (const Item& item : items) {
      sides.functions[item.function] = true;
      sides.configurations[configuration_of(item)] = true;
    }
    return sides;
  }

  template <typename Places>
  static UnmatchedKernel& entry_of(const Item& item, const Sides& other, Places& places,
                                   std::vector<UnmatchedKernel>& list) {
    const auto [found, fresh] = places.try_emplace(configuration_of(item), list.size());
    if (fresh) {
      const bool known = other.functions.contains(item.function);
      const bool same = other.configurations.contains(configuration_of(item));
      list.push_back({.name = {},
                      .grid = item.grid,
                      .block = item.block,
                      .gap = same ? JoinGap::range : known ? JoinGap::configuration : JoinGap::name});
    }
    UnmatchedKernel& entry = list[found->second];
    ++entry.count;
    return entry;
  }

  const Trace& timeline_;
  const Trace& reports_;
  Items items_;
  std::vector<Group> groups_;
  boost::unordered_flat_map<GroupKey, size_t, boost::hash<GroupKey>> group_at_;
  KernelJoin join_;
};

}  // namespace

std::optional<double> KernelJoin::quantity(Row launch, std::string_view name) const {
  const KernelSample* found = sample(launch);
  if (found == nullptr) return std::nullopt;
  double sum = 0;
  double count = 0;
  for (const uint32_t row : found->profiles) {
    const auto value = quantity_value(name, *reports, reports->kernel_profiles[row]);
    if (!value) continue;
    sum += *value;
    ++count;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

Fields kernel_join_fields() {
  return launch_occupancy_fields() | Fields{Field::kernel_mangled_names, Field::launches,    Field::api,
                                            Field::ranges,               Field::range_links, Field::kernel_profiles};
}

KernelJoin join_kernels(const Trace& timeline, const Trace& reports) { return Joiner(timeline, reports).join(); }

}  // namespace sonde
