#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "record/pc_sampling/device_functions.h"
#include "trace/trace.h"
#include "wire/pc_record.h"
#include "wire/reader.h"

namespace sonde::record {

/// What a process said of counting instructions; each different thing once.
struct CountingNote {
  wire::PcState state;
  std::string text;
  int32_t result;
  auto operator<=>(const CountingNote&) const = default;
};

/// How counting the instructions of launches went.
struct InstructionTally {
  int64_t launches = 0;
  int64_t without =
      0;              ///< kernels whose instructions were not counted, since none of their like came again or it failed
  int64_t empty = 0;  ///< counted launches without a count
  int64_t instructions = 0;  ///< of all launches together
  uint64_t executed = 0;     ///< by warps
  uint64_t elsewhere = 0;    ///< by warps, in functions that are not the launched ones
  uint64_t dropped = 0;      ///< records, by CUPTI
  std::string unfinished;    ///< the last function that was being counted when the recording ended; empty for none
  std::set<CountingNote> notes;
};

/// Makes metrics of the counts of instructions, under the names that Nsight Compute has for them: inst_executed and the
/// like, with one instance an instruction, its key the offset in the function. Records come in any order of their
/// threads.
class InstructionCounts {
 public:
  void add(const wire::Record& record, uint32_t process);

  /// After all records: gives a measured launch its counts, and its function where it has none.
  void give_to(Trace& trace, KernelProfile& kernel, uint32_t process, uint64_t id, DeviceFunctions& functions);
  /// After the last launch.
  [[nodiscard]] InstructionTally finish();

 private:
  using Key = std::pair<uint32_t, uint64_t>;  ///< process, number
  using Counts = std::array<uint64_t, wire::kInstructionCounts>;
  struct Counted {
    uint64_t code = 0;
    std::map<uint64_t, Counts> by_offset;
  };

  void add_count(const wire::Record& record, uint32_t process);
  void add_launch(const wire::Record& record, uint32_t process);
  static void give_metrics(Trace& trace, KernelProfile& kernel, const Counted& counted);

  std::map<Key, wire::CountedLaunchBody> launches_;  ///< by kernel
  std::map<Key, Counted> counted_;                   ///< by counting
  std::map<Key, std::string> begun_;                 ///< functions by countings that have no end yet
  InstructionTally tally_;
};

}  // namespace sonde::record
