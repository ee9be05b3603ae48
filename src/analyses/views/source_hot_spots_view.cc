#include <algorithm>
#include <map>
#include <optional>

#include "analyses/measured/source_places.h"
#include "analyses/views/kernel_view.h"

namespace sonde {
namespace source_hot_spots {
namespace {

constexpr std::string_view kSamples = "smsp__pcsamp_sample_count";
constexpr std::string_view kExecuted = "inst_executed";
constexpr std::string_view kStallPrefix = "smsp__pcsamp_warps_issue_stalled_";
constexpr size_t kRows = 20;
/// Fewer samples do not tell one line from another: at 200, a line with a tenth of them is known to a fifth of that.
constexpr double kFewSamples = 200;

struct Spot {
  double samples = 0;
  std::optional<double> executed;  ///< by warps
  std::string_view stall;          ///< the reason with the most samples
  double stall_samples = 0;
};

using Spots = std::map<SourcePlace, Spot>;

void add_stalls(const Trace& trace, const KernelProfile& kernel, Spots& spots) {
  for (const Metric& metric : kernel.metrics) {
    const std::string_view name = trace.name(metric.name);
    if (!name.starts_with(kStallPrefix) || name.ends_with("_not_issued")) continue;
    Spots of_reason;
    for_each_place(trace, kernel, &metric,
                   [&](const SourcePlace& place, double value) { of_reason[place].stall_samples += value; });
    for (const auto& [place, spot] : of_reason) {
      Spot& whole = spots[place];
      if (spot.stall_samples <= whole.stall_samples) continue;
      whole.stall = name.substr(kStallPrefix.size());
      whole.stall_samples = spot.stall_samples;
    }
  }
}

Result<Table> run(const Trace& trace, const KernelProfile& kernel) {
  Spots spots;
  for_each_place(trace, kernel, find_metric(trace, kernel, kSamples),
                 [&](const SourcePlace& place, double value) { spots[place].samples += value; });
  for_each_place(trace, kernel, find_metric(trace, kernel, kExecuted), [&](const SourcePlace& place, double value) {
    spots[place].executed = spots[place].executed.value_or(0) + value;
  });
  add_stalls(trace, kernel, spots);
  if (spots.empty()) return fail("{} and {} (ncu --section SourceCounters)", kSamples, kExecuted);
  double samples = 0;
  for (const auto& [place, spot] : spots) samples += spot.samples;

  std::vector<std::pair<SourcePlace, Spot>> order(spots.begin(), spots.end());
  std::ranges::stable_sort(order, std::greater(), [&](const auto& s) {
    return std::pair(samples < kFewSamples ? 0 : s.second.samples, s.second.executed.value_or(0));
  });
  order.resize(std::min(order.size(), kRows));
  Table table;
  auto& places = table.texts("Source");
  auto& counts = table.integers("Samples");
  auto& shares = table.reals("Share", Unit::percent, 1);
  auto& executed = table.integers("Executed by warps");
  auto& stalls = table.texts("Top stall");
  for (const auto& [place, spot] : order) {
    places.push_back(table.keep(place_text(trace, kernel, place)));
    counts.push_back(samples > 0 ? static_cast<int64_t>(spot.samples) : kUnknown);
    shares.push_back(samples > 0 ? 100 * spot.samples / samples : kAbsent);
    executed.push_back(spot.executed ? static_cast<int64_t>(*spot.executed) : kUnknown);
    stalls.push_back(spot.stall);
  }
  return table;
}

}  // namespace
}  // namespace source_hot_spots

extern const KernelView source_hot_spots_view;
const KernelView source_hot_spots_view{
    .name = "source_hot_spots",
    .title = "Hottest Source Lines",
    .section = "SourceCounters",
    .description =
        "Program counter samples of the warps by source line (smsp__pcsamp_sample_count), with the most frequent stall "
        "reason "
        "of each line. Source lines need -lineinfo; without it, the rows are instruction offsets from "
        "the start of the function. With fewer than 200 samples, rows are ordered by executions.",
    .run = source_hot_spots::run,
};

}  // namespace sonde
