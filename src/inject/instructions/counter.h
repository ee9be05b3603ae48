#pragma once

#include "inject/instructions/sass_metrics.h"
#include "wire/pc_record.h"

/// How often each instruction of single launches runs, one launch at a time: from one thread at a time. CUPTI patches
/// the launched function for it, which runs once.
namespace sonde::inject::instructions {

/// A launch that is counted.
struct Counted {
  void* context = nullptr;
  void* stream = nullptr;  ///< as cuStreamSynchronize() takes it
  uint32_t device = 0;
  const char* chip = "";      ///< as CUPTI names it
  const char* function = "";  ///< mangled
};

class Counter {
 public:
  /// Finds the functions, once. False where this CUPTI lacks one: that is reported.
  [[nodiscard]] bool find(const cupti::Library& library) noexcept;

  /// Before the launch. False where it could not begin, and never will: the reason is reported.
  [[nodiscard]] bool begin(const Counted& launch) noexcept;

  /// After it: waits for its end, and tells the recorder of each instruction. `found` gets the rest but for its
  /// kernel. False where it failed, and would again: the reason is reported. report_end() follows in any case.
  [[nodiscard]] bool end(wire::CountedLaunchBody& found) noexcept;

 private:
  bool choose_metrics() noexcept;
  bool enable() noexcept;
  bool read_all(wire::CountedLaunchBody& found) noexcept;
  bool flush(const ExtentParams& extent, wire::CountedLaunchBody& found) noexcept;
  [[nodiscard]] bool take(const Data& data, size_t instances, wire::CountedLaunchBody& found) const noexcept;
  bool disable(wire::CountedLaunchBody& found) const noexcept;
  [[nodiscard]] bool unset() const noexcept;

  Functions functions_;
  Counted launch_{};
  MetricConfig metrics_[wire::kInstructionCounts];
  uint64_t countings_ = 0;  ///< begun so far
};

/// To the recorder: of a launch that was begun.
void report_end(const wire::CountedLaunchBody& launch) noexcept;

}  // namespace sonde::inject::instructions
