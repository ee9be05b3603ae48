#include "findings/recorder_notes.h"

#include <algorithm>

#include "analyses/replay/recording_cost.h"

namespace sonde {
namespace {

double percent(int64_t part, int64_t whole) {
  return whole > 0 ? 100 * static_cast<double>(part) / static_cast<double>(whole) : 100;
}

/// By the recorder's cost alone, not by how two runs differ.
double least_busy(const RecordedStep& step) {
  return std::min(100.0, percent(step.busy_ns, step.high_ns) * (1 + kRunSpread));
}
double most_busy(const RecordedStep& step) {
  return std::min(100.0, percent(step.busy_ns, step.low_ns) * (1 - kRunSpread));
}

std::vector<Argument> step_arguments(const RecordedStep& step) {
  return {text_argument("what", step.steps > 0 ? "A step" : "The GPU work"),
          duration_argument("recorded", step.recorded_ns),
          duration_argument("without", step.without_ns),
          duration_argument("low", step.low_ns),
          duration_argument("high", step.high_ns),
          percent_argument("busy", std::min(100.0, percent(step.busy_ns, step.without_ns))),
          percent_argument("recorded_busy", std::min(100.0, percent(step.busy_ns, step.recorded_ns))),
          percent_argument("least_busy", least_busy(step)),
          percent_argument("most_busy", most_busy(step))};
}

}  // namespace

std::vector<RecorderNote> recorder_notes(const RecordedStep& step) {
  std::vector<RecorderNote> notes;
  const bool differs = step.given || step.without_ns * 100 < step.recorded_ns * 99;
  if (differs) notes.push_back({step.given ? "recorder_given" : "recorder", step_arguments(step)});
  // A GPU that is busy so long leaves the host nothing to gain.
  constexpr double kHostBoundPercent = 90;
  constexpr double kGpuBoundPercent = 98;
  const bool may_be_host = least_busy(step) < kHostBoundPercent;
  const bool may_be_gpu = most_busy(step) > kGpuBoundPercent;
  if (differs && may_be_host && may_be_gpu && !step.given) notes.push_back({"recorder_open", step_arguments(step)});
  return notes;
}

RecorderNote note_beside(const RecordedStep& step) {
  return {step.given ? "recorder_beside_given" : "recorder_beside", step_arguments(step)};
}

}  // namespace sonde
