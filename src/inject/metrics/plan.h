#pragma once

#include "inject/metrics/profiler.h"
#include "inject/metrics/settings.h"

/// What of the wanted metrics a GPU can count, and how.
namespace sonde::inject::metrics {

struct Plan {
  void* host = nullptr;          ///< CUPTI's object, which has the metrics; evaluates their values
  const char** names = nullptr;  ///< of what is counted
  uint32_t* places = nullptr;    ///< of each in Settings::names
  uint32_t count = 0;
  uint8_t* config = nullptr;
  size_t config_bytes = 0;
};

/// For the GPU of a context. Tells the recorder of metrics that cannot be counted, and of the passes that the others
/// take. False where nothing can be counted: the reason is reported.
[[nodiscard]] bool make_plan(Plan& plan, const Profiler& profiler, const Settings& wanted, void* context,
                             const char* chip) noexcept;

}  // namespace sonde::inject::metrics
