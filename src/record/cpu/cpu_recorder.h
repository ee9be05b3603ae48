#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "record/cpu/address_spaces.h"
#include "record/cpu/perf_event.h"
#include "record/cpu/perf_ring.h"
#include "record/cpu/unwinder.h"
#include "record/rounds/sink.h"

namespace sonde::record {

/// Samples the program's CPU work and notes when its threads run: drains what Linux tells of it into the spool, with
/// each sample's stack already unwound (32 KB of stack become some 200 bytes).
class CpuRecorder : public Source {
 public:
  /// When something is recorded, as far as it is known at the time of asking.
  using WhatIsOn = std::function<CpuSpan()>;

  CpuRecorder(const CpuOptions& options, Sink& sink, WhatIsOn on, PerfEventOpen open = system_perf_event_open());

  /// While the program waits to be executed. Where it is not permitted the program runs all the same, and problem()
  /// says why.
  void open(pid_t process);
  /// Samples and switches only of the time in which something is on.
  int64_t sweep() override;
  void finish() override;

  [[nodiscard]] const CpuState& state() const { return state_; }
  [[nodiscard]] int64_t patience_ns() const override { return patience_ns_; }

 private:
  struct Held {
    int64_t time;
    size_t at;
    size_t bytes;
  };

  void map_rings(const std::vector<int>& events);
  [[nodiscard]] std::vector<Held> held();
  void pass_on(int64_t before, const CpuSpan& on);
  void keep(const PerfRecord& record, const CpuSpan& on);
  void keep_sample(const PerfRecord& sample);

  CpuOptions options_;
  Sink& sink_;
  WhatIsOn on_;
  PerfEventOpen open_;
  std::vector<PerfRing> rings_;
  std::vector<std::byte> fresh_;  ///< taken from the rings and not passed on yet
  std::vector<std::byte> ready_;  ///< for the spool
  std::vector<uint64_t> chain_;
  AddressSpaces spaces_;
  Unwinder unwinder_{spaces_};
  CpuState state_;
  int64_t samples_ = 0;
  int64_t patience_ns_;
};

}  // namespace sonde::record
