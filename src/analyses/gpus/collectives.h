#pragma once

#include <vector>

#include "analyses/gpus/communication_kind.h"
#include "analyses/gpus/gpus.h"

namespace sonde {

/// One GPU's part in a collective: its kernel.
struct Participant {
  uint32_t gpu = 0;  ///< of Gpus::gpus
  Row kernel = kNone;
  int64_t entry_ns = 0;  ///< its kernel starts, and from then on waits for the others
  int64_t end_ns = 0;
};

/// An operation of several GPUs that were matched: data move only when the last has entered.
struct MatchedCollective {
  CommunicationKind kind = CommunicationKind::other;
  NameId name = kNone;       ///< as the framework calls it, else the kernel's name
  NameId group = kNone;      ///< process group; kNone where the profile does not tell
  NameId algorithm = kNone;  ///< NCCL's, kNone where it did not tell
  NameId protocol = kNone;
  int64_t bytes = kUnknown;
  int64_t group_size = kUnknown;  ///< participants that there are, recorded or not; kUnknown where ranks are missing
  std::vector<Participant> participants;  ///< by GPU; two at least
  bool one_clock = false;                 ///< entries can be compared

  [[nodiscard]] bool complete() const;            ///< all participants are known to be here
  [[nodiscard]] const Participant& last() const;  ///< the one that entered last
  [[nodiscard]] int64_t first_entry_ns() const;
  [[nodiscard]] int64_t end_ns() const;
  /// From the last entry to the last end. Without a common clock no more than the shortest kernel, which is that of the
  /// participant that came last.
  [[nodiscard]] int64_t transfer_ns() const;
};

struct Collectives {
  std::vector<MatchedCollective> all;  ///< by first entry
  std::vector<uint32_t> of_kernel;     ///< index into `all` for each row of `kernels`, kNone
  int64_t unmatched = 0;               ///< communication kernels without a counterpart
};

/// Matches kernels over GPUs. Kernels of one process group with the same collective, type and size (all-to-all:
/// whatever size each rank has), where the framework describes them, else of one collective by its range
/// (collective_ranges.h), else of one name, belong together in the order in which they ran. With a common clock they
/// must run at the same time (a kernel that ended before another entered is not its counterpart); without (the import
/// log says so), their number must be the same on each GPU. A send meets the receive of the two ranks that its range
/// names; if none does and more than two GPUs send or receive, those meet that run at the same time and end together.
/// Without a description, the group is taken to be all GPUs that ran such kernels. Reads ranges and range_links, where
/// there are any.
[[nodiscard]] Collectives match_collectives(const Trace& trace, const Gpus& gpus,
                                            const std::vector<CommunicationKind>& kinds);

/// What NCCL's tests call bus bandwidth is the algorithm's, bytes by time, times this: what a link moves of each byte.
/// https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md
[[nodiscard]] double bus_factor(CommunicationKind kind, int64_t participants);

}  // namespace sonde
