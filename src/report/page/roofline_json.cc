#include "report/page/roofline_json.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "analyses/kernels/roofline.h"
#include "report/page/json_columns.h"

namespace sonde {
namespace {

using Json = nlohmann::ordered_json;

/// What the measured launches of a row did, of one kind of arithmetic.
struct Work {
  double flop = 0;
  double bytes = 0;
  double seconds = 0;
};

struct Roofs {
  double flop_per_s = 0;
  double bytes_per_s = 0;
  std::map<size_t, Work> of_row;
};

/// By GPU and kind of arithmetic.
using AllRoofs = std::map<std::pair<std::string, std::string>, Roofs>;

std::string gpu_of(const Trace& trace, const KernelProfile& profile) {
  return profile.device == kNone ? std::string() : trace.devices[profile.device].name;
}

double seconds_of(const Trace& trace, const KernelProfile& profile) {
  return metric_number(trace, profile, "gpu__time_duration.sum").value_or(0) * 1e-9;
}

/// Nothing where a rate or a roof is not known.
void add_launch(const Trace& trace, const KernelProfile& profile, size_t row, AllRoofs& all) {
  const MemoryTraffic dram = memory_traffic(trace, profile, MemoryLevel::dram);
  const double seconds = seconds_of(trace, profile);
  if (dram.bytes_per_second.value_or(0) <= 0 || dram.ceiling_bytes_per_second.value_or(0) <= 0 || seconds <= 0) return;
  for (const Arithmetic& kind : arithmetic_of(trace, profile)) {
    if (kind.flop_per_second.value_or(0) <= 0 || kind.ceiling_flop_per_second.value_or(0) <= 0) continue;
    Roofs& roofs = all[{gpu_of(trace, profile), kind.kind}];
    roofs.flop_per_s = std::max(roofs.flop_per_s, *kind.ceiling_flop_per_second);
    roofs.bytes_per_s = std::max(roofs.bytes_per_s, *dram.ceiling_bytes_per_second);
    Work& work = roofs.of_row[row];
    work.flop += *kind.flop_per_second * seconds;
    work.bytes += *dram.bytes_per_second * seconds;
    work.seconds += seconds;
  }
}

Json point_json(size_t row, const Work& work, const Roofs& roofs) {
  const double intensity = work.flop / work.bytes;
  const double rate = work.flop / work.seconds;
  const double roof = std::min(roofs.flop_per_s, intensity * roofs.bytes_per_s);
  return {{"kernel", row},
          {"flop_per_byte", intensity},
          {"flop_per_s", rate},
          {"percent_of_roof", number_or_null(100 * rate / roof)}};
}

}  // namespace

Json rooflines_json(const KernelRows& rows) {
  AllRoofs all;
  for (size_t row = 0; row < rows.profiles.size(); ++row) {
    for (const uint32_t profile : rows.profiles[row]) {
      add_launch(*rows.counters, rows.counters->kernel_profiles[profile], row, all);
    }
  }
  Json list = Json::array();
  for (const auto& [key, roofs] : all) {
    Json points = Json::array();
    for (const auto& [row, work] : roofs.of_row) points.push_back(point_json(row, work, roofs));
    list.push_back({{"gpu", key.first},
                    {"arithmetic", key.second},
                    {"flop_per_s", roofs.flop_per_s},
                    {"bytes_per_s", roofs.bytes_per_s},
                    {"points", std::move(points)}});
  }
  return list;
}

}  // namespace sonde
