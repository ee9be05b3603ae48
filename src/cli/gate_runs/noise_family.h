#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gate/budget.h"
#include "gate/decide/decision.h"
#include "gate/record/run_record.h"
#include "gate/runs.h"

/// Figures of runs of one unchanged program, by which the gate knows its noise.
namespace sonde {

/// A timed figure.
struct NoisyFigure {
  std::string metric;
  std::string subject;
  gate::TimedRuns runs;  ///< all figures' in the same order
};

/// Rules that look at every timed metric, of all kernels and modules too.
[[nodiscard]] const gate::Budget& every_timed_figure();

/// The timed figures that the budget's rules look at and that all runs have, each once.
[[nodiscard]] std::vector<NoisyFigure> noisy_figures(const gate::Budget& budget,
                                                     std::span<const gate::RunRecord> records);

/// The same from floors: a value a run. Those that fewer runs have than most figures are left out.
[[nodiscard]] std::vector<NoisyFigure> noisy_figures(const gate::CalibratedFloors& floors);

/// What the noise of these runs says; conditions are those that all have.
[[nodiscard]] gate::CalibratedFloors floors_of(std::span<const NoisyFigure> figures,
                                               std::span<const gate::RunRecord> records);

/// Standard deviation between the runs' centres, as a share of their mean.
[[nodiscard]] double deviation_between(std::span<const double> centres);

/// "1.2 %", "0.034 %", "-": a share for people.
[[nodiscard]] std::string share_text(std::optional<double> share);

/// Rows of texts as columns, the first row as heading; all but the first two columns are numbers. The second, a name,
/// is cut so that a row is no wider than `width` (0: not cut).
[[nodiscard]] std::string figures_table(std::span<const std::vector<std::string>> rows, size_t width);

}  // namespace sonde
