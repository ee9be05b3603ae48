#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace sonde {

/// What a kernel does between GPUs.
enum class CommunicationKind : uint8_t {
  none,  ///< it computes
  all_reduce,
  reduce_scatter,
  all_gather,
  broadcast,
  reduce,
  all_to_all,
  send_receive,
  other,
};

/// "all_reduce"; empty for none.
[[nodiscard]] std::string_view name_of(CommunicationKind kind);

/// By the kernel's name alone (communication_kernels.inc).
[[nodiscard]] CommunicationKind communication_kind(std::string_view kernel_name);

/// By the name that a framework gives to the collective, in small letters (communication_kernels.inc).
[[nodiscard]] CommunicationKind collective_kind(std::string_view name);

/// Of each row of `kernels`: as the framework's description of the collective says, else, of kernels that communicate
/// by their name (communication_kernels.inc), as the range around the launch names it (collective_ranges.h), else by
/// the kernel's name. Reads Field::kernels and, where there are any, collectives (Field::kernel_resources), launches
/// and ranges.
[[nodiscard]] std::vector<CommunicationKind> communication_kinds(const Trace& trace);

/// A copy from one GPU to another.
[[nodiscard]] bool is_peer_copy(const Copies& copies, Row row);

}  // namespace sonde
