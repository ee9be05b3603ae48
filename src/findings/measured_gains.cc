#include "findings/measured_gains.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <boost/math/distributions/students_t.hpp>

namespace sonde {
namespace {

struct MeasuredGain {
  FixKind kind;
  double bound_percent;
  double gain_percent;
};

constexpr auto kMeasured = std::to_array<MeasuredGain>({
#define SONDE_MEASURED_GAIN(kind, finding, name, bound, gain) {FixKind::kind, bound, gain},
#include "findings/measured_gains.inc"
#undef SONDE_MEASURED_GAIN
});

constexpr size_t kFewestCases = 3;
constexpr double kOutside = 0.2;  ///< of further fixes, half of them on each side

/// Gain by bound of the fixes of a kind.
std::vector<double> shares_of(FixKind kind) {
  std::vector<double> shares;
  for (const MeasuredGain& m : kMeasured) {
    if (m.kind == kind) shares.push_back(m.gain_percent / m.bound_percent);
  }
  return shares;
}

}  // namespace

std::optional<LikelyGain> likely_gain(FixKind kind, int64_t bound_ns) {
  const std::vector<double> shares = shares_of(kind);
  if (shares.size() < kFewestCases) return std::nullopt;
  const auto cases = static_cast<double>(shares.size());
  double sum = 0;
  for (const double share : shares) sum += share;
  double squares = 0;
  for (const double share : shares) squares += (share - sum / cases) * (share - sum / cases);
  const boost::math::students_t t(cases - 1);
  const double reach = boost::math::quantile(boost::math::complement(t, kOutside / 2)) *
                       std::sqrt(squares / (cases - 1) * (1 + 1 / cases));
  const auto of_bound = [&](double share) {
    return static_cast<int64_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(bound_ns));
  };
  return LikelyGain{of_bound(sum / cases - reach), of_bound(sum / cases + reach), shares.size()};
}

}  // namespace sonde
