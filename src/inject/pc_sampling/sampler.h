#pragma once

#include "inject/pc_sampling/pc_sampling.h"
#include "wire/pc_record.h"

/// Samples of single launches, one at a time: from one thread at a time.
namespace sonde::inject::pc_sampling {

/// A launch that is sampled.
struct Sampled {
  void* context = nullptr;
  void* stream = nullptr;  ///< as cuStreamSynchronize() takes it
  uint32_t device = 0;
  const char* function = "";  ///< mangled
};

class Sampler {
 public:
  /// Before the launch: waits for what its stream does, and begins to sample its context. The sampling of a context is
  /// switched on for the one launch only: it and CUPTI's range profiler are never on together. `period`: a sample each
  /// 2^period cycles; 0: CUPTI's own choice. False where it could not begin: the reason is reported.
  [[nodiscard]] bool begin(const Functions& functions, const Sampled& launch, uint32_t period) noexcept;

  /// After it: waits for its end, and tells the recorder of the samples at each instruction. `found` gets the sums; its
  /// kernel is left alone. False where it failed, and would again: the reason is reported. What was reported counts
  /// only where report_launch() follows.
  [[nodiscard]] bool end(uint64_t sampling, wire::SampledLaunchBody& found) noexcept;

 private:
  bool prepare(uint32_t period) noexcept;
  bool read_reasons() noexcept;
  bool make_room() noexcept;
  bool configure(uint32_t period) noexcept;
  void read_period() noexcept;
  bool read_all(uint64_t sampling, wire::SampledLaunchBody& found) noexcept;
  void take(uint64_t sampling, wire::SampledLaunchBody& found) const noexcept;
  bool disable() noexcept;
  void clear() noexcept;

  const Functions* functions_ = nullptr;
  Sampled launch_{};
  Data data_{};
  size_t reason_count_ = 0;
  size_t reason_room_ = 0;         ///< for each instruction
  uint64_t reported_devices_ = 0;  ///< whose stall reasons are known: a bit each
  uint32_t period_ = 0;
};

}  // namespace sonde::inject::pc_sampling
