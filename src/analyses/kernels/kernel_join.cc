#include "analyses/kernels/kernel_join.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "analyses/kernels/kernel_items.h"
#include "analyses/kernels/launch_occupancy.h"
#include "metrics/quantities.h"
#include "trace/columns.h"

namespace sonde {
namespace {

using ConfigurationKey = std::tuple<uint32_t, Dim3, Dim3, int64_t, int64_t>;
using ConfigurationPlaces = boost::unordered_flat_map<ConfigurationKey, size_t, boost::hash<ConfigurationKey>>;
using JoinKey = std::pair<ConfigurationKey, Ids>;

ConfigurationKey configuration_of(const KernelItem& item) {
  return {item.function, item.grid, item.block, item.registers, item.shared};
}
JoinKey group_of(const KernelItem& item, const RangePaths& ranges) {
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
      : timeline_(timeline), reports_(reports), items_(kernel_items(timeline, reports)) {
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
  Group& group(const KernelItem& item) {
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

  [[nodiscard]] Row call_of(Row launch) const { return timeline_.kernels.launch[launch]; }
  [[nodiscard]] std::pair<int64_t, int64_t> issued_at(Row launch) const {
    const Row call = call_of(launch);
    const int64_t start = timeline_.kernels.start[launch];
    return {call == kNone ? start : timeline_.api.start[call], start};
  }
  /// What launches in the same order each time: a thread; where that is not known, kernels of a stream follow each
  /// other.
  [[nodiscard]] std::pair<bool, uint32_t> sequence_of(Row launch) const {
    const Row call = call_of(launch);
    return {call == kNone, call == kNone ? timeline_.kernels.stream[launch] : timeline_.api.thread[call]};
  }

  /// Two threads do not launch in the same order in each run.
  [[nodiscard]] bool in_known_order(const Group& group) const {
    const auto elsewhere = [&](Row row) { return sequence_of(row) != sequence_of(group.launches.front()); };
    if (std::ranges::any_of(group.launches, elsewhere)) return false;
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
    ConfigurationPlaces launches_at;
    ConfigurationPlaces measured_at;
    for (const Group& group : groups_) {
      if (!group.launches.empty() && !group.measured.empty()) continue;
      for (const Row row : group.launches) {
        const KernelItem& item = items_.launches[row];
        auto& entry = entry_of(item, of_measured, launches_at, join_.unmatched_launches);
        entry.name = timeline_.name(timeline_.kernels.name[row]);
        entry.duration_ns += duration_ns(row);
      }
      for (const Row row : group.measured) {
        const KernelItem& item = items_.measured[row];
        entry_of(item, of_launches, measured_at, join_.unmatched_measured).name =
            reports_.name(reports_.kernel_profiles[row].name);
      }
    }
    std::ranges::stable_sort(join_.unmatched_launches, std::greater(), &UnmatchedKernel::duration_ns);
  }

  /// What one side has, for the reasons of the other.
  struct Sides {
    boost::unordered_flat_set<uint32_t> functions;
    boost::unordered_flat_set<ConfigurationKey, boost::hash<ConfigurationKey>> configurations;
  };
  static Sides sides(const std::vector<KernelItem>& items) {
    Sides sides;
    for (const KernelItem& item : items) {
      sides.functions.insert(item.function);
      sides.configurations.insert(configuration_of(item));
    }
    return sides;
  }

  static UnmatchedKernel& entry_of(const KernelItem& item, const Sides& other, ConfigurationPlaces& places,
                                   std::vector<UnmatchedKernel>& list) {
    const auto [found, fresh] = places.try_emplace(configuration_of(item), list.size());
    if (fresh) {
      const bool known = other.functions.contains(item.function);
      const bool same = other.configurations.contains(configuration_of(item));
      list.push_back({.name = {},
                      .grid = item.grid,
                      .block = item.block,
                      .gap = same    ? JoinGap::range
                             : known ? JoinGap::configuration
                                     : JoinGap::name});
    }
    UnmatchedKernel& entry = list[found->second];
    ++entry.count;
    return entry;
  }

  const Trace& timeline_;
  const Trace& reports_;
  KernelItems items_;
  std::vector<Group> groups_;
  boost::unordered_flat_map<JoinKey, size_t, boost::hash<JoinKey>> group_at_;
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
  return launch_occupancy_fields() |
         Fields{Field::kernel_mangled_names, Field::launches,       Field::api, Field::ranges,
                Field::range_links,          Field::kernel_profiles};
}

KernelJoin join_kernels(const Trace& timeline, const Trace& reports) { return Joiner(timeline, reports).join(); }

}  // namespace sonde
