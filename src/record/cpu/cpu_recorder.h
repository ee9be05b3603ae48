#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record/cpu/address_spaces.h"
#include "record/cpu/perf_event.h"
#include "record/cpu/perf_ring.h"
#include "record/cpu/unwinder.h"
#include "record/spool.h"

namespace sonde::record {

/// Samples the program's CPU work and notes when its threads run: drains what Linux tells of it into the spool, with
/// each sample's stack already unwound (16 KB of stack become some 200 bytes).
class CpuRecorder {
 public:
  CpuRecorder(const CpuOptions& options, SpoolWriter& spool, PerfEventOpen open = system_perf_event_open());

  /// While the program waits to be executed. Where it is not permitted the program runs all the same, and problem()
  /// says why.
  void open(pid_t process);
  /// Takes what is there, samples and switches only of this time. Gives the bytes that it took.
  int64_t drain(const CpuSpan& on);
  /// Nothing more is recorded; takes all that is there.
  void finish(const CpuSpan& on);

  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] bool kernel() const { return kernel_; }
  [[nodiscard]] bool cycles() const { return cycles_; }
  /// CPU time of this process that all of it took.
  [[nodiscard]] int64_t own_ns() const { return own_ns_; }
  /// Of what Linux wrote, what could not be read.
  [[nodiscard]] int64_t unread_bytes() const { return unread_bytes_; }
  /// How long the buffers surely hold what all CPUs write.
  [[nodiscard]] int64_t patience_ns() const { return patience_ns_; }

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
  SpoolWriter& spool_;
  PerfEventOpen open_;
  std::vector<PerfRing> rings_;
  std::vector<std::byte> fresh_;  ///< taken from the rings and not passed on yet
  std::vector<std::byte> ready_;  ///< for the spool
  std::vector<uint64_t> chain_;
  AddressSpaces spaces_;
  Unwinder unwinder_{spaces_};
  std::string problem_;
  bool kernel_ = false;
  bool cycles_ = false;
  int64_t samples_ = 0;
  int64_t own_ns_ = 0;
  int64_t unread_bytes_ = 0;
  int64_t patience_ns_;
};

}  // namespace sonde::record
