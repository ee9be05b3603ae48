#pragma once

#include <string>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "trace/trace.h"

namespace sonde {

/// Which part of a training step a moment of a thread belongs to.
enum class MemoryPhase : uint8_t { unknown, forward, backward, optimizer };

/// Where an allocation or a release happened, by the ranges and by the call stack around it.
struct MemoryPlaceInCode {
  MemoryPhase phase = MemoryPhase::unknown;
  Row module = kNone;  ///< range: the innermost that names a part of the model, of a backward operator that of its
                       ///< forward one
  Row op = kNone;      ///< range: the innermost operator
  Row call = kNone;    ///< of the table that `is_library_call` names
  bool is_library_call = false;
  ChainId chain = kNone;  ///< of the call
};

/// Finds the place of rows of `allocations`. Needs Field::ranges and range_links; with api, library_calls,
/// launches and call_chains also stacks.
class MemoryPlaces {
 public:
  explicit MemoryPlaces(const Trace& trace);
  [[nodiscard]] MemoryPlaceInCode of(Row allocation) const;

  /// The call's chain, one frame after the other: "attention (model.py:154) < forward (model.py:208)".
  [[nodiscard]] std::string stack_text(ChainId chain) const;
  /// The innermost frame that is not PyTorch's own; kNone where all are.
  [[nodiscard]] uint32_t program_frame(ChainId chain) const;
  [[nodiscard]] std::string frame_text(uint32_t frame) const;
  /// Modules from the outermost to `module`, numbers in them as '#': "BertLayer_#/BertSelfAttention_#".
  [[nodiscard]] std::string module_text(Row module) const;

 private:
  [[nodiscard]] ThreadId thread_of(Row allocation, Row call) const;
  [[nodiscard]] ThreadId working_thread(ProcessId process, int64_t time) const;
  [[nodiscard]] Row innermost(ThreadId thread, DomainId domain, int64_t time) const;
  void place_in_ranges(ThreadId thread, int64_t time, MemoryPlaceInCode& place) const;
  void place_in_stack(MemoryPlaceInCode& place) const;
  [[nodiscard]] bool is_backward(Row op) const;

  const Trace& trace_;
  boost::unordered_flat_map<std::pair<ThreadId, DomainId>, std::vector<Row>> ranges_;
  boost::unordered_flat_map<std::pair<ProcessId, uint32_t>, Row> api_;      ///< by correlation id
  boost::unordered_flat_map<std::pair<ProcessId, uint32_t>, Row> library_;  ///< by correlation id
  std::vector<std::pair<ThreadId, DomainId>> of_modules_;                   ///< threads with ranges of modules
  std::vector<uint8_t> phase_of_name_;                                      ///< MemoryPhase by NameId, of ranges
  std::vector<bool> is_step_;                                               ///< by NameId: a range over a whole step
};

}  // namespace sonde
