#include "gate/runs.h"

#include <algorithm>

namespace sonde::gate {
namespace {

double median_of(std::span<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

double centre_of(std::span<double> values, Centre centre) {
  return centre == Centre::mean ? mean_of(values) : median_of(values);
}

std::vector<double> run_centres(const TimedRuns& runs, Centre within) {
  std::vector<double> centres;
  for (TimedRun run : runs) {
    if (!run.empty()) centres.push_back(centre_of(run, within));
  }
  return centres;
}

double ratio_of_means(std::span<const double> base, std::span<const double> changed) {
  return mean_of(changed) / mean_of(base);
}

}  // namespace sonde::gate
