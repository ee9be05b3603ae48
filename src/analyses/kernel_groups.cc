#include "analyses/kernel_groups.h"

#include <algorithm>
#include <ranges>
#include <tuple>

#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include "trace/columns.h"

namespace sonde {
namespace {

constexpr std::string_view kDuration = "gpu__time_duration.sum";

using Key = std::tuple<NameId, Dim3, Dim3, size_t>;

Key key_of(const KernelLaunch& launch, const KernelGrouping& by, size_t number) {
  const bool alone = !by.name && !by.grid && !by.block;
  return {by.name ? launch.name() : kNone, by.grid ? launch.grid() : Dim3{}, by.block ? launch.block() : Dim3{},
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

}  // namespace

NameId KernelLaunch::name() const { return profile != nullptr ? profile->name : trace->kernels.name[row]; }
Dim3 KernelLaunch::grid() const { return profile != nullptr ? profile->grid : trace->kernels.grid[row]; }
Dim3 KernelLaunch::block() const { return profile != nullptr ? profile->block : trace->kernels.block[row]; }

std::optional<double> KernelLaunch::duration_ns() const {
  if (profile != nullptr) return metric_number(*trace, *profile, kDuration);
  return static_cast<double>(trace->kernels.end[row] - trace->kernels.start[row]);
}

Result<KernelGrouping> parse_kernel_grouping(std::string_view text) {
  KernelGrouping by;
  if (text == "launch") return by;
  for (const auto part : text | std::views::split(',')) {
    const std::string_view word(part);
    bool* flag = word == "name" ? &by.name : word == "grid" ? &by.grid : word == "block" ? &by.block : nullptr;
    if (flag == nullptr)
      return fail("launches are grouped by name, grid and block, or not at all: launch; not by '{}'", word);
    *flag = true;
  }
  return by;
}

std::vector<KernelLaunch> kernel_launches(const Trace& trace) {
  std::vector<KernelLaunch> launches;
  for (const KernelProfile& profile : trace.kernel_profiles) launches.push_back({&trace, &profile, kNone});
  if (!launches.empty()) return launches;
  launches.reserve(row_count(trace.kernels));
  for (Row row = 0; row < row_count(trace.kernels); ++row) launches.push_back({&trace, nullptr, row});
  return launches;
}

std::vector<KernelGroup> group_kernels(const std::vector<KernelLaunch>& launches, const KernelGrouping& grouping) {
  boost::unordered_flat_map<Key, size_t, boost::hash<Key>> places;
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
