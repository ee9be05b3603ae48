#include "monitor/detectors/shared_each_gpu.h"
#include "monitor/detectors/shared_shown.h"

namespace sonde::monitor {
namespace remapped_rows {
namespace {

struct Kept {
  bool pending = false;
  bool failure = false;
  int64_t low = 0;   ///< banks with few spare rows
  int64_t none = 0;  ///< and without any
};

void remember(const device::GpuReading& reading, Kept& kept) {
  kept = {.pending = reading.remapped_rows_pending.value_or(false),
          .failure = reading.remapped_rows_failure.value_or(false),
          .low = reading.remap_banks_low.value_or(0),
          .none = reading.remap_banks_none.value_or(0)};
}

void look(const GpuLook& gpu, Kept& kept, std::vector<Observation>& found) {
  if (gpu.reading != nullptr) remember(*gpu.reading, kept);
  const std::vector<Argument> arguments = {{"index", std::to_string(gpu.sample.gpu)},
                                           {"low", shown_count(kept.low, "bank", "banks")},
                                           {"none", shown_count(kept.none, "bank", "banks")}};
  const auto add_observation = [&](std::string subject, Severity severity, std::string text) {
    found.push_back({.gpu = gpu.sample.gpu,
                     .subject = std::move(subject),
                     .severity = severity,
                     .text = std::move(text),
                     .arguments = arguments});
  };
  if (kept.failure) add_observation("failure", Severity::critical, "remapped_rows_failure");
  if (kept.pending) add_observation("pending", Severity::warning, "remapped_rows_pending");
  if (kept.none > 0) add_observation("spare_rows", Severity::warning, "remapped_rows_none_left");
  if (kept.none == 0 && kept.low > 0) add_observation("spare_rows", Severity::warning, "remapped_rows_few_left");
}

}  // namespace
}  // namespace remapped_rows

extern constinit const DetectorRow remapped_rows_detector = {
    .name = "remapped_rows",
    .description =
        "row remapping failed, row remapping is pending until a reset, or a bank has few or no spare rows left (early "
        "warning). One incident each",
    .clear_after_s = 60,
    .make = each_gpu<remapped_rows::Kept, remapped_rows::look>,
    .severity = "failure: critical; pending, spare_rows: warning",
    .clears = "the GPU no longer reports it for 1 min",
};

}  // namespace sonde::monitor
