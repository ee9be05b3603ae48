#include "analyses/gpus/collective_ranges.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace sonde {
namespace {

CommunicationKind kind_of_range(std::string_view name) {
  if (!name.starts_with("nccl") && !name.starts_with("c10d::")) return CommunicationKind::none;
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const CommunicationKind kind = collective_kind(lower);
  return kind == CommunicationKind::other ? CommunicationKind::none : kind;
}

}  // namespace

CommunicationKind CollectiveRanges::kind(NameId range_name) {
  CommunicationKind& known = kinds_[range_name];
  if (known == kNotAsked) known = kind_of_range(trace_.name(range_name));
  return known;
}

NameId CollectiveRanges::around(Row kernel) {
  const Kernels& k = trace_.kernels;
  const Row call = kernel < k.launch.size() ? k.launch[kernel] : kNone;
  if (call == kNone) return kNone;
  const Ranges& r = trace_.ranges;
  for (const DomainLinks& links : trace_.range_links) {
    if (trace_.domains[links.domain].kind == DomainKind::python || call >= links.of_api.size()) continue;
    for (Row range = links.of_api[call]; range != kNone; range = r.parent[range]) {
      if (kind(r.name[range]) != CommunicationKind::none) return r.name[range];
    }
  }
  return kNone;
}

}  // namespace sonde
