#pragma once

#include <cstdint>
#include <vector>

#include "record/cpu/code_file.h"
#include "record/cpu/perf_records.h"

namespace sonde::record {

struct Registers;
class StackCopy;

/// Finds the callers of a sampled instruction from registers and a copy of the stack: by the unwind tables of the files
/// that were mapped, and by frame pointers where there are none (code that was made at run time).
class Unwinder {
 public:
  explicit Unwinder(const AddressSpaces& spaces) : spaces_(spaces), files_(spaces) {}

  /// User addresses, innermost first: the instruction, then return addresses. True where the chain reaches the thread's
  /// first function; false where it is broken before.
  [[nodiscard]] bool unwind(const PerfRecord& sample, std::vector<uint64_t>& chain);

 private:
  enum class Step : uint8_t { up, whole, broken };
  struct Frame;

  [[nodiscard]] const FrameRules* rules_at(const PerfRecord& sample, uint64_t address);
  [[nodiscard]] Step step(const PerfRecord& sample, const StackCopy& stack, Frame& frame);
  [[nodiscard]] static Step by_rules(const FrameRules& rules, const StackCopy& stack, Frame& frame);
  [[nodiscard]] static Step by_frame_pointer(const StackCopy& stack, Frame& frame);

  const AddressSpaces& spaces_;
  CodeFiles files_;
};

}  // namespace sonde::record
