#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "record/pc_sampling/device_functions.h"
#include "trace/trace.h"
#include "wire/pc_record.h"
#include "wire/reader.h"

namespace sonde::record {

/// What a process said of sampling; each different thing once.
struct SampleNote {
  wire::PcState state;
  std::string text;
  int32_t result;
  auto operator<=>(const SampleNote&) const = default;
};

/// How sampling went.
struct SampleTally {
  int64_t launches = 0;  ///< that were sampled
  int64_t without = 0;   ///< kernels that have no samples, since none of their like came again or it failed
  int64_t empty = 0;     ///< sampled launches without a sample
  int64_t full = 0;      ///< sampled launches whose samples did not fit
  int64_t instructions = 0;
  uint64_t samples = 0;        ///< with a stall reason and a place
  uint64_t elsewhere = 0;      ///< in functions that are not the launched ones
  uint64_t unnamed = 0;        ///< with a stall reason that has no name
  uint64_t total = 0;          ///< that the hardware took
  uint64_t dropped = 0;        ///< of them
  uint64_t other_kernels = 0;  ///< of them
  std::set<SampleNote> notes;
};

/// Makes metrics of the samples of launches, as Nsight Compute has them: smsp__pcsamp_* with one instance an
/// instruction, its key the offset in the function. Records come in any order of their threads.
class KernelSamples {
 public:
  void add(const wire::Record& record, uint32_t process);

  /// After all records: gives a measured launch its samples and its function.
  void give_to(Trace& trace, KernelProfile& kernel, uint32_t process, uint64_t id, DeviceFunctions& functions);
  /// After the last launch.
  [[nodiscard]] SampleTally finish() { return std::move(tally_); }

 private:
  using Key = std::pair<uint32_t, uint64_t>;  ///< process, number
  struct Instruction {
    wire::PcSamplesBody where;
    std::vector<wire::StallPart> parts;
  };
  class Metrics;

  void note(const wire::Record& record);
  void add_reason(const wire::Record& record, uint32_t process);
  void add_instruction(const wire::Record& record, uint32_t process);
  void count(const wire::SampledLaunchBody& launch);
  void take(Metrics& metrics, const Instruction& instruction, uint32_t process);

  std::map<Key, wire::SampledLaunchBody> launches_;                          ///< by kernel
  std::map<Key, std::vector<Instruction>> instructions_;                     ///< by sampling
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::string> reasons_;  ///< by process, device, number
  SampleTally tally_;
};

}  // namespace sonde::record
