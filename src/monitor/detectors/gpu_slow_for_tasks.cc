#include "monitor/detectors/shared_reported.h"

namespace sonde::monitor {
namespace gpu_slow_for_tasks {
namespace {

constexpr std::string_view kName = "gpu_slow_for_tasks";

std::unique_ptr<Detector> make() { return std::make_unique<ReportedDetector>(kName); }

}  // namespace
}  // namespace gpu_slow_for_tasks

extern constinit const DetectorRow gpu_slow_for_tasks_detector = {
    .name = gpu_slow_for_tasks::kName,
    .description =
        "the median run time of a type's last 30 tasks on the GPU (at least 10) is at least 1.25 times that on other "
        "GPUs of the same model, and a rank test confirms it",
    .clear_after_s = 60,
    .make = gpu_slow_for_tasks::make,
    .severity = "warning",
    .clears = "less than 1.15 times as long, or no task of the type on the GPU for a day",
};

}  // namespace sonde::monitor
