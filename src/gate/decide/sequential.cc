#include "gate/decide/sequential.h"

namespace sonde::gate {

/// The squared share of information (Kim and DeMets 1987, power 2): few runs rarely find anything by permutation, so
/// that early looks get less than their share of the runs.
double rate_share(std::span<const int> runs, size_t look) {
  if (look >= runs.size() || runs.back() <= 0) return 0;
  const auto spent = [&](size_t i) {
    const double information = static_cast<double>(runs[i]) / runs.back();
    return information * information;
  };
  return look == 0 ? spent(0) : spent(look) - spent(look - 1);
}

}  // namespace sonde::gate
