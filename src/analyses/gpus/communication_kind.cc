#include "analyses/gpus/communication_kind.h"

#include <array>
#include <cstring>

#include "analyses/gpus/collective_ranges.h"
#include "trace/columns.h"

namespace sonde {
namespace {

struct KernelName {
  std::string_view first;
  std::string_view second;
  CommunicationKind kind;
};

struct CollectiveName {
  std::string_view text;
  CommunicationKind kind;
};

constexpr auto kKernels = std::to_array<KernelName>({
#define SONDE_COMMUNICATION_KERNEL(first, second, kind) {first, second, CommunicationKind::kind},
#define SONDE_COLLECTIVE_NAME(text, kind)
#include "analyses/gpus/communication_kernels.inc"
#undef SONDE_COLLECTIVE_NAME
#undef SONDE_COMMUNICATION_KERNEL
});

constexpr auto kCollectives = std::to_array<CollectiveName>({
#define SONDE_COMMUNICATION_KERNEL(first, second, kind)
#define SONDE_COLLECTIVE_NAME(text, kind) {text, CommunicationKind::kind},
#include "analyses/gpus/communication_kernels.inc"
#undef SONDE_COLLECTIVE_NAME
#undef SONDE_COMMUNICATION_KERNEL
});

/// memmem is several times as fast as std::string_view::find in names of hundreds of characters.
bool holds(std::string_view text, std::string_view part) {
  return memmem(text.data(), text.size(), part.data(), part.size()) != nullptr;
}

}  // namespace

CommunicationKind collective_kind(std::string_view name) {
  for (const CollectiveName& known : kCollectives) {
    if (name.contains(known.text)) return known.kind;
  }
  return CommunicationKind::other;
}

std::string_view name_of(CommunicationKind kind) {
  constexpr std::array<std::string_view, 9> kNames = {
      "", "all_reduce", "reduce_scatter", "all_gather", "broadcast", "reduce", "all_to_all", "send_receive", "other"};
  return kNames[static_cast<size_t>(kind)];
}

CommunicationKind communication_kind(std::string_view kernel_name) {
  for (const KernelName& known : kKernels) {
    if (holds(kernel_name, known.first) && holds(kernel_name, known.second)) return known.kind;
  }
  return CommunicationKind::none;
}

std::vector<CommunicationKind> communication_kinds(const Trace& trace) {
  constexpr auto kNotAsked = static_cast<CommunicationKind>(255);
  const Kernels& k = trace.kernels;
  CollectiveRanges ranges(trace);
  std::vector<CommunicationKind> of_name(trace.names.size(), kNotAsked);
  std::vector<CommunicationKind> kinds(row_count(k), CommunicationKind::none);
  for (Row row = 0; row < row_count(k); ++row) {
    if (row < k.collective.size() && k.collective[row] != kNone) {
      const NameId collective = trace.collectives[k.collective[row]].name;
      kinds[row] = collective == kNone ? CommunicationKind::other : collective_kind(trace.name(collective));
      continue;
    }
    CommunicationKind& known = of_name[k.name[row]];
    if (known == kNotAsked) known = communication_kind(trace.name(k.name[row]));
    kinds[row] = known;
    const NameId range = known == CommunicationKind::none ? kNone : ranges.around(row);
    if (range != kNone) kinds[row] = ranges.kind(range);
  }
  return kinds;
}

bool is_peer_copy(const Copies& copies, Row row) {
  return copies.kind[row] == static_cast<uint8_t>(CopyKind::peer_to_peer);
}

}  // namespace sonde
