#include "analyses/memory/memory_peak.h"

#include <algorithm>
#include <functional>
#include <map>

#include <boost/unordered/unordered_flat_map.hpp>

#include "analyses/gpus/memory_use.h"
#include "analyses/memory/memory_phase.h"
#include "trace/columns.h"

namespace sonde {
namespace {

using Address = std::pair<ProcessId, int64_t>;

/// An allocation that is in use at the peak, and the row that releases it.
struct LiveAllocation {
  Row row = kNone;
  Row release = kNone;
};

bool has_addresses(const Trace& trace, const MemoryUse& use) {
  const Longs& addresses = trace.allocations.address;
  return !addresses.empty() && std::ranges::all_of(use.row, [&](Row row) { return addresses[row] != kUnknown; });
}

bool allocates(const Trace& trace, Row row) {
  return trace.allocations.kind[row] == static_cast<uint8_t>(AllocationKind::allocate);
}

/// The event after which most is in use, as peak_of() has it; past the last where that was before the first.
size_t peak_event(const MemoryUse& use) {
  const auto peak = std::ranges::max_element(use.bytes);
  return peak == use.bytes.end() || *peak <= use.start_bytes ? use.bytes.size()
                                                             : static_cast<size_t>(peak - use.bytes.begin());
}

std::vector<LiveAllocation> live_at(const Trace& trace, const MemoryUse& use, size_t peak) {
  const Allocations& a = trace.allocations;
  boost::unordered_flat_map<Address, LiveAllocation> live;
  for (size_t i = 0; i <= peak && peak < use.row.size(); ++i) {
    const Row row = use.row[i];
    const Address address{a.process[row], a.address[row]};
    if (allocates(trace, row)) {
      live[address] = {row, kNone};
    } else {
      live.erase(address);
    }
  }
  for (size_t i = peak + 1; i < use.row.size(); ++i) {
    const auto found = live.find({a.process[use.row[i]], a.address[use.row[i]]});
    if (found != live.end() && found->second.release == kNone) found->second.release = use.row[i];
  }
  std::vector<LiveAllocation> all;
  for (const auto& [address, allocation] : live) all.push_back(allocation);
  std::ranges::sort(all, {}, &LiveAllocation::row);
  return all;
}

/// When memory was released, or the recording's last event where it never was.
struct EndOfUse {
  MemoryPhase phase = MemoryPhase::unknown;
  bool released = false;
  bool later = false;  ///< than the allocation
};

/// Memory that is never released shows what it is for only once its phase is over. An optimizer's temporary memory is
/// released before the next is allocated, so that what is left at the end is its state.
MemoryRole role_of(MemoryPhase allocated, const EndOfUse& end) {
  if (allocated == MemoryPhase::unknown || !end.later) return MemoryRole::unknown;
  if (end.released && end.phase == allocated) return MemoryRole::temporary;
  if (allocated == MemoryPhase::optimizer) return MemoryRole::optimizer_state;
  if (allocated == MemoryPhase::backward) {
    return end.phase == MemoryPhase::backward ? MemoryRole::unknown : MemoryRole::gradient;
  }
  const bool until_backward = end.released && end.phase == MemoryPhase::backward;
  return until_backward ? MemoryRole::activation : MemoryRole::unknown;
}

/// Sums up what is live.
class Holders {
 public:
  explicit Holders(const Trace& trace) : trace_(trace), places_(trace) {}

  /// Gives back their bytes. `last`: the last event of their GPU.
  int64_t add(const std::vector<LiveAllocation>& all, Row last) {
    last_ = last;
    int64_t bytes = 0;
    for (const LiveAllocation& live : all) {
      add(live);
      bytes += std::max<int64_t>(trace_.allocations.bytes[live.row], 0);
    }
    return bytes;
  }

  [[nodiscard]] MemoryPhase phase_of(Row allocation) const { return places_.of(allocation).phase; }

  /// Bytes of which nothing more is known.
  void add_whole(MemoryRole role, int64_t bytes) {
    HeldMemory held;
    held.role = role;
    if (bytes > 0) add(held, bytes, kNone);
  }

  std::vector<HeldMemory> take() {
    std::vector<HeldMemory> all;
    for (auto& [key, held] : held_) all.push_back(std::move(held));
    held_.clear();
    std::ranges::stable_sort(all, std::greater(), &HeldMemory::bytes);
    return all;
  }

 private:
  void add(const LiveAllocation& live) {
    const MemoryPlaceInCode place = places_.of(live.row);
    const bool released = live.release != kNone;
    const Row end = released ? live.release : last_;
    const Times& start = trace_.allocations.start;
    HeldMemory held;
    held.role = role_of(place.phase, {places_.of(end).phase, released, start[end] > start[live.row]});
    held.module = places_.module_text(place.module);
    held.op = op_text(place);
    held.stack = places_.stack_text(place.chain);
    add(held, std::max<int64_t>(trace_.allocations.bytes[live.row], 0), place.chain);
  }

  void add(const HeldMemory& held, int64_t bytes, ChainId chain) {
    const auto [found, fresh] = held_.try_emplace(held, held);
    HeldMemory& sum = found->second;
    if (fresh) {
      sum.place = place_text(sum, chain);
    }
    sum.bytes += bytes;
    sum.allocations += sum.role == MemoryRole::earlier ? 0 : 1;
    sum.largest_bytes = std::max(sum.largest_bytes, sum.role == MemoryRole::earlier ? 0 : bytes);
  }

  [[nodiscard]] std::string place_text(const HeldMemory& held, ChainId chain) const {
    if (!held.module.empty()) return held.module;
    const uint32_t frame = places_.program_frame(chain);
    return frame == kNone ? held.op : places_.frame_text(frame);
  }

  [[nodiscard]] std::string op_text(const MemoryPlaceInCode& place) const {
    if (place.op != kNone) return std::string(trace_.name(trace_.ranges.name[place.op]));
    if (place.call == kNone) return {};
    return std::string(trace_.name((place.is_library_call ? trace_.library_calls : trace_.api).name[place.call]));
  }

  const Trace& trace_;
  MemoryPlaces places_;
  Row last_ = kNone;
  std::map<HeldMemory, HeldMemory> held_;
};

MemoryAtPeak without_holders(const Trace& trace, const MemoryUse& use, size_t peak) {
  MemoryAtPeak at;
  at.rank = use.rank;
  at.ordinal = use.ordinal;
  at.gpu = use.gpu;
  at.peak_reserved_bytes = use.peak_reserved_bytes;
  at.bytes = peak < use.bytes.size() ? use.bytes[peak] : use.start_bytes;
  if (peak < use.bytes.size()) at.time_ns = use.time[peak];
  if (peak < use.row.size() && !trace.allocations.reserved_bytes.empty()) {
    at.reserved_bytes = trace.allocations.reserved_bytes[use.row[peak]];
  }
  if (use.device != kNone) at.capacity_bytes = trace.devices[use.device].total_memory_bytes.value_or(kUnknown);
  return at;
}

}  // namespace

std::string_view name_of(MemoryRole role) {
  switch (role) {
    case MemoryRole::unknown: return "Unknown";
    case MemoryRole::earlier: return "Before Recording";
    case MemoryRole::activation: return "Activation";
    case MemoryRole::gradient: return "Gradient";
    case MemoryRole::optimizer_state: return "Optimizer State";
    case MemoryRole::temporary: return "Temporary";
  }
  return {};
}

std::vector<MemoryAtPeak> memory_at_peaks(const Trace& trace) {
  std::vector<MemoryAtPeak> peaks;
  if (row_count(trace.allocations) == 0) return peaks;
  Holders holders(trace);
  for (const MemoryUse& use : memory_uses(trace)) {
    if (use.place != MemoryPlace::device) continue;
    const size_t peak = peak_event(use);
    MemoryAtPeak at = without_holders(trace, use, peak);
    if (peak < use.row.size()) at.phase = holders.phase_of(use.row[peak]);
    if (has_addresses(trace, use)) {
      const int64_t known = holders.add(live_at(trace, use, peak), use.row.back());
      holders.add_whole(MemoryRole::earlier, at.bytes - known);
    } else {
      holders.add_whole(MemoryRole::unknown, at.bytes);
    }
    at.held = holders.take();
    peaks.push_back(std::move(at));
  }
  return peaks;
}

std::vector<HeldMemory> held_by_place(const MemoryAtPeak& peak) {
  std::map<std::pair<MemoryRole, std::string>, HeldMemory> sums;
  for (const HeldMemory& held : peak.held) {
    HeldMemory& sum = sums[{held.role, held.place}];
    sum.role = held.role;
    sum.place = held.place;
    sum.bytes += held.bytes;
    sum.allocations += held.allocations;
    sum.largest_bytes = std::max(sum.largest_bytes, held.largest_bytes);
  }
  std::vector<HeldMemory> all;
  for (auto& [key, sum] : sums) all.push_back(std::move(sum));
  std::ranges::stable_sort(all, std::greater(), &HeldMemory::bytes);
  return all;
}

int64_t bytes_of_role(const MemoryAtPeak& peak, MemoryRole role) {
  int64_t bytes = 0;
  for (const HeldMemory& held : peak.held) bytes += held.role == role ? held.bytes : 0;
  return bytes;
}

}  // namespace sonde
