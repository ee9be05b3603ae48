#include "analyses/kernels/occupancy_steps.h"

#include <algorithm>
#include <cstdlib>

namespace sonde {
namespace {

/// What fits beside the other curves on one screen.
constexpr size_t kFewSteps = 12;

bool holds(const OccupancyStep& step, int64_t x) { return step.from <= x && x <= step.to; }

bool is_peak(const std::vector<OccupancyStep>& steps, size_t i) {
  const bool rises = i == 0 || steps[i - 1].warps_per_sm < steps[i].warps_per_sm;
  const bool falls = i + 1 == steps.size() || steps[i + 1].warps_per_sm < steps[i].warps_per_sm;
  return rises && falls;
}

}  // namespace

OccupancyCurve with_point(OccupancyCurve curve, OccupancyPoint own) {
  const auto place = std::ranges::lower_bound(curve, own.x, {}, &OccupancyPoint::x);
  if (place == curve.end() || place->x != own.x) curve.insert(place, own);
  return curve;
}

std::vector<OccupancyStep> steps_of(const OccupancyCurve& curve) {
  std::vector<OccupancyStep> steps;
  for (const OccupancyPoint& point : curve) {
    if (!steps.empty() && steps.back().warps_per_sm == point.warps_per_sm) {
      steps.back().to = point.x;
    } else {
      steps.push_back({steps.empty() ? point.x : steps.back().to + 1, point.x, point.warps_per_sm});
    }
  }
  return steps;
}

std::vector<OccupancyStep> condensed(const std::vector<OccupancyStep>& steps, int64_t own) {
  if (steps.size() <= kFewSteps) return steps;
  std::vector<OccupancyStep> shown;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (is_peak(steps, i) || holds(steps[i], own)) shown.push_back(steps[i]);
  }
  return shown;
}

std::optional<OccupancyPoint> next_better(const OccupancyCurve& curve, OccupancyPoint own, Search search) {
  std::optional<OccupancyPoint> best;
  for (const OccupancyPoint& point : curve) {
    if (point.warps_per_sm <= own.warps_per_sm || point.x % search.multiple != 0) continue;
    if (point.x > own.x && !search.may_grow) continue;
    if (!best || std::abs(point.x - own.x) < std::abs(best->x - own.x)) best = point;
  }
  return best;
}

}  // namespace sonde
