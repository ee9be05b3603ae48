#include "monitor/detectors/shared_reported.h"

namespace sonde::monitor {
namespace task_slow {
namespace {

constexpr std::string_view kName = "task_slow";

std::unique_ptr<Detector> make() { return std::make_unique<ReportedDetector>(kName); }

}  // namespace
}  // namespace task_slow

extern constinit const DetectorRow task_slow_detector = {
    .name = task_slow::kName,
    .description =
        "a task runs longer than sonde.tasks.profiles.slow_factor times the 90th percentile of the last 200 tasks (at "
        "least 20) of its type on GPUs of the same model",
    .clear_after_s = 60,
    .make = task_slow::make,
    .severity = "warning",
    .clears = "the next task of the type on such a GPU finished in time and no recording is pending, or after 1 h",
};

}  // namespace sonde::monitor
