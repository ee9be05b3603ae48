#pragma once

#include "inject/metrics/plan.h"

/// Measuring in one CUDA context: CUPTI's range profiler around single launches, each of which the driver runs as often
/// as the counters need passes (kernel replay). From one thread at a time.
namespace sonde::inject::metrics {

class Session {
 public:
  /// Asks for the counters of the context's GPU, where any are wanted. False where they cannot be had: the reason is
  /// reported.
  bool open(const Profiler& profiler, const Settings& wanted, void* context, int device) noexcept;

  /// Around a launch. False where it could not begin: the reason is reported.
  bool start() noexcept;
  /// False where it failed, and would again: the reason is reported.
  bool stop() noexcept;
  /// Of the last launch, one for each of plan().names; null where it left none.
  [[nodiscard]] const double* values() const noexcept { return has_values_ ? values_ : nullptr; }

  /// Leaves the counters to others until the next start().
  void let_go() noexcept;

  /// As CUPTI names it.
  [[nodiscard]] const char* chip() const noexcept { return chip_; }
  [[nodiscard]] const Plan& plan() const noexcept { return plan_; }

 private:
  bool enable() noexcept;
  bool make_image() noexcept;

  const Profiler* profiler_ = nullptr;
  const char* chip_ = "";
  Plan plan_;
  void* context_ = nullptr;
  void* object_ = nullptr;  ///< CUPTI's range profiler; null while it is not on
  uint8_t* image_ = nullptr;
  size_t image_bytes_ = 0;
  double* values_ = nullptr;
  bool has_values_ = false;
};

}  // namespace sonde::inject::metrics
