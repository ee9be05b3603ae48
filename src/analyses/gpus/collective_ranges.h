#pragma once

#include <vector>

#include "analyses/gpus/communication_kind.h"

namespace sonde {

/// Ranges that name the collective whose kernel is launched in them: "nccl:all_to_all" of PyTorch, "c10d::allreduce_",
/// "ncclAllGather" of NCCL itself. A kernel's own name may be another's: NCCL launches all of a group, and up to 2.18
/// any work, by the kernel of the first one. Reads ranges and range_links, where there are any.
class CollectiveRanges {
 public:
  explicit CollectiveRanges(const Trace& trace) : trace_(trace), kinds_(trace.names.size(), kNotAsked) {}

  /// The name of the innermost such range around the kernel's launch, NCCL's before others; kNone.
  [[nodiscard]] NameId around(Row kernel);
  /// What a range of this name does; none where it names no collective.
  [[nodiscard]] CommunicationKind kind(NameId range_name);

 private:
  static constexpr auto kNotAsked = static_cast<CommunicationKind>(255);

  const Trace& trace_;
  std::vector<CommunicationKind> kinds_;  ///< by name
};

}  // namespace sonde
