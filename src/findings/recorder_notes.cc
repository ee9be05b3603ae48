#include "findings/recorder_notes.h"

namespace sonde {
namespace {

double percent(int64_t part, int64_t whole) {
  return whole > 0 ? std::min(100.0, 100 * static_cast<double>(part) / static_cast<double>(whole)) : 100;
}

std::vector<Argument> step_arguments(const RecordedStep& step) {
  return {text_argument("what", step.steps > 0 ? "A step" : "The GPU work"),
          duration_argument("recorded", step.recorded_ns),
          duration_argument("without", step.without_ns),
          duration_argument("low", step.low_ns),
          duration_argument("high", step.high_ns),
          percent_argument("busy", percent(step.busy_ns, step.without_ns)),
          percent_argument("recorded_busy", percent(step.busy_ns, step.recorded_ns)),
          percent_argument("least_busy", percent(step.busy_ns, step.high_ns)),
          percent_argument("most_busy", percent(step.busy_ns, step.low_ns))};
}

}  // namespace

std::vector<RecorderNote> recorder_notes(const WithoutRecorder& recorder) {
  const RecordedStep& step = recorder.step;
  std::vector<RecorderNote> notes;
  const bool differs = recorder.given || step.without_ns * 100 < step.recorded_ns * 99;
  if (differs) notes.push_back({recorder.given ? "recorder_given" : "recorder", step_arguments(step)});
  // A GPU that is busy so long leaves the host nothing to gain.
  constexpr double kHostBoundPercent = 90;
  constexpr double kGpuBoundPercent = 98;
  const bool may_be_host = percent(step.busy_ns, step.high_ns) < kHostBoundPercent;
  const bool may_be_gpu = percent(step.busy_ns, step.low_ns) > kGpuBoundPercent;
  if (differs && may_be_host && may_be_gpu && !recorder.given) notes.push_back({"recorder_open", step_arguments(step)});
  return notes;
}

RecorderNote note_beside(const WithoutRecorder& recorder) { return {"recorder_beside", step_arguments(recorder.step)}; }

}  // namespace sonde
