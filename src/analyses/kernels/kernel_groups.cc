#include "analyses/kernels/kernel_groups.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <ranges>
#include <tuple>

#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include "analyses/kernels/launch_occupancy.h"
#include "metrics/quantities.h"
#include "trace/columns.h"

namespace sonde {
namespace {

constexpr std::string_view kDuration = "gpu__time_duration.sum";

using GroupKey = std::tuple<NameId, Dim3, Dim3, double, double, size_t>;
using GroupPlaces = boost::unordered_flat_map<GroupKey, size_t, boost::hash<GroupKey>>;

constexpr double kNotKnown = -1;

GroupKey key_of(const KernelLaunch& launch, const KernelGrouping& by, size_t number) {
  const bool alone = !by.name && !by.grid && !by.block && !by.registers && !by.shared;
  return {by.name ? launch.name() : kNone,
          by.grid ? launch.grid() : Dim3{},
          by.block ? launch.block() : Dim3{},
          by.registers ? launch.registers_per_thread().value_or(kNotKnown) : kNotKnown,
          by.shared ? launch.shared_bytes().value_or(kNotKnown) : kNotKnown,
          alone ? number : 0};
}

void add(KernelGroup& group, const KernelLaunch& launch) {
  const auto duration = launch.duration_ns();
  const bool first = group.launches.empty();
  if (!first && duration.value_or(0) > group.representative().duration_ns().value_or(0)) {
    group.longest = group.launches.size();
  }
  group.measured = group.measured || duration.has_value();
  group.duration_ns += duration.value_or(0);
  group.launches.push_back(launch);
}

/// Gives each launch of a timeline the place of its shape among all, in the order of group_kernels().
void number_shapes(std::vector<KernelLaunch>& launches) {
  GroupPlaces places;
  std::vector<double> totals;
  for (KernelLaunch& launch : launches) {
    const auto [place, is_new] = places.try_emplace(key_of(launch, kByShape, 0), totals.size());
    if (is_new) totals.push_back(0);
    totals[place->second] += launch.duration_ns().value_or(0);
    launch.id = static_cast<int64_t>(place->second);
  }
  std::vector<size_t> order(totals.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](size_t shape) { return totals[shape]; });
  std::vector<int64_t> ids(totals.size());
  for (size_t i = 0; i < order.size(); ++i) ids[order[i]] = static_cast<int64_t>(i);
  for (KernelLaunch& launch : launches) launch.id = ids[static_cast<size_t>(launch.id)];
}

}  // namespace

NameId KernelLaunch::name() const { return profile != nullptr ? profile->name : trace->kernels.name[row]; }
Dim3 KernelLaunch::grid() const { return profile != nullptr ? profile->grid : trace->kernels.grid[row]; }
Dim3 KernelLaunch::block() const { return profile != nullptr ? profile->block : trace->kernels.block[row]; }

std::optional<double> KernelLaunch::registers_per_thread() const {
  if (profile != nullptr) return quantity_value("registers_per_thread", *trace, *profile);
  return resources_of_row(*trace, row).registers_per_thread;
}

std::optional<double> KernelLaunch::shared_bytes() const {
  if (profile != nullptr) return quantity_value("shared_memory_per_block", *trace, *profile);
  return resources_of_row(*trace, row).shared_bytes;
}

std::optional<double> KernelLaunch::duration_ns() const {
  if (profile != nullptr) return metric_number(*trace, *profile, kDuration);
  return static_cast<double>(trace->kernels.end[row] - trace->kernels.start[row]);
}

Result<KernelGrouping> parse_kernel_grouping(std::string_view text) {
  struct GroupingWord {
    std::string_view word;
    bool KernelGrouping::* flag;
  };
  constexpr std::array kWords = {
      GroupingWord{"name", &KernelGrouping::name}, GroupingWord{"grid", &KernelGrouping::grid},
      GroupingWord{"block", &KernelGrouping::block}, GroupingWord{"registers", &KernelGrouping::registers},
      GroupingWord{"shared", &KernelGrouping::shared}};
  KernelGrouping by;
  if (text == "launch") return by;
  for (const auto part : text | std::views::split(',')) {
    const std::string_view word(part);
    const auto* const flag = std::ranges::find(kWords, word, &GroupingWord::word);
    if (flag == kWords.end()) {
      return fail(
          "cannot group launches by '{}'; use name, grid, block, registers and shared, or launch for no grouping",
          word);
    }
    by.*(flag->flag) = true;
  }
  return by;
}

std::vector<KernelLaunch> kernel_launches(const Trace& trace) {
  std::vector<KernelLaunch> launches;
  for (const KernelProfile& profile : trace.kernel_profiles) launches.push_back({&trace, &profile, kNone, profile.id});
  if (!launches.empty()) return launches;
  launches.reserve(row_count(trace.kernels));
  for (Row row = 0; row < row_count(trace.kernels); ++row) launches.push_back({&trace, nullptr, row, kUnknown});
  number_shapes(launches);
  return launches;
}

std::vector<KernelGroup> group_kernels(const std::vector<KernelLaunch>& launches, const KernelGrouping& grouping) {
  GroupPlaces places;
  std::vector<KernelGroup> groups;
  for (size_t i = 0; i < launches.size(); ++i) {
    const auto [place, is_new] = places.try_emplace(key_of(launches[i], grouping, i), groups.size());
    if (is_new) groups.emplace_back();
    add(groups[place->second], launches[i]);
  }
  std::ranges::stable_sort(groups, std::greater(), &KernelGroup::duration_ns);
  return groups;
}

}  // namespace sonde
