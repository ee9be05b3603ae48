#pragma once

#include <span>
#include <vector>

#include "gate/metric.h"
#include "gate/record/run_record.h"

namespace sonde {

/// A metric over the runs of an entry.
struct RunFigures {
  const gate::Metric* metric = nullptr;
  std::vector<double> values;  ///< a run each, of those that tell it; at least one

  [[nodiscard]] double mean() const;
  [[nodiscard]] double least() const;
  [[nodiscard]] double most() const;
};

/// The headline metrics that the runs tell.
[[nodiscard]] std::vector<RunFigures> headline_figures(std::span<const gate::RunRecord> records);

}  // namespace sonde
