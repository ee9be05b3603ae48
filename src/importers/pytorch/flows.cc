#include "importers/pytorch/flows.h"

#include <boost/unordered/unordered_flat_map.hpp>

namespace sonde::pytorch {
namespace {

using Place = std::pair<ThreadId, int64_t>;

/// The operators that start at one place of a thread's time.
struct AtPlace {
  Row shortest = kNone;
  Row longest = kNone;
};

using Places = boost::unordered_flat_map<Place, AtPlace>;

bool is_operator(const Trace& trace, size_t row) {
  return trace.domains[trace.ranges.domain[row]].kind == DomainKind::op;
}

Places operators_at(std::span<const FlowEnd> flows, size_t first, const Trace& trace) {
  Places places;
  for (const FlowEnd& flow : flows) places.try_emplace({flow.thread, flow.time});
  const Ranges& ranges = trace.ranges;
  for (size_t row = first; row < ranges.start.size(); ++row) {
    if (!is_operator(trace, row)) continue;
    const auto at = places.find({ranges.thread[row], ranges.start[row]});
    if (at == places.end()) continue;
    AtPlace& here = at->second;
    if (here.shortest == kNone || ranges.end[row] < ranges.end[here.shortest]) here.shortest = static_cast<Row>(row);
    if (here.longest == kNone || ranges.end[row] > ranges.end[here.longest]) here.longest = static_cast<Row>(row);
  }
  return places;
}

struct Arrow {
  Row forward = kNone;
  Row backward = kNone;
};

void join(const Arrow& arrow, int64_t& next_sequence, Ranges& ranges) {
  if (arrow.backward == kNone) return;
  ranges.backward[arrow.backward] = 1;
  if (arrow.forward == kNone || ranges.sequence[arrow.backward] != kUnknown) return;
  int64_t& forward = ranges.sequence[arrow.forward];
  if (forward == kUnknown) forward = next_sequence--;
  ranges.sequence[arrow.backward] = forward;
}

int64_t lowest_sequence(const Ranges& ranges) {
  int64_t lowest = 0;
  for (const int64_t s : ranges.sequence) {
    if (s != kUnknown) lowest = std::min(lowest, s);
  }
  return lowest;
}

}  // namespace

void apply_flows(std::span<const FlowEnd> flows, size_t first, Trace& trace) {
  if (flows.empty()) return;
  const Places places = operators_at(flows, first, trace);
  boost::unordered_flat_map<int64_t, Arrow> arrows;
  std::vector<int64_t> order;
  for (const FlowEnd& flow : flows) {
    const auto [at, fresh] = arrows.try_emplace(flow.id);
    if (fresh) order.push_back(flow.id);
    const AtPlace& here = places.find({flow.thread, flow.time})->second;
    Row& end = flow.backward ? at->second.backward : at->second.forward;
    // PyTorch draws from the innermost forward operator to the outermost backward one.
    if (end == kNone) end = flow.backward ? here.longest : here.shortest;
  }
  int64_t next_sequence = lowest_sequence(trace.ranges) - 1;
  for (const int64_t id : order) join(arrows[id], next_sequence, trace.ranges);
}

}  // namespace sonde::pytorch
