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
  NameId found = kNone;
  for (const DomainLinks& links : trace_.range_links) {
    if (trace_.domains[links.domain].kind == DomainKind::python || call >= links.of_api.size()) continue;
    Row range = links.of_api[call];
    while (range != kNone && kind(r.name[range]) == CommunicationKind::none) range = r.parent[range];
    if (range == kNone) continue;
    if (trace_.name(r.name[range]).starts_with("nccl")) return r.name[range];
    found = r.name[range];
  }
  return found;
}

}  // namespace sonde
