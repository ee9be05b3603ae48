#include "analyses/gpus/memory_use.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>
#include <boost/unordered/unordered_flat_map.hpp>

#include "analyses/gpus/gpus.h"
#include "trace/columns.h"

namespace sonde {
namespace {

MemoryPlace place_of(const Allocations& a, Row row) {
  const int32_t device = a.device[row];
  switch (static_cast<MemoryKind>(a.memory[row])) {
    case MemoryKind::pageable: return MemoryPlace::pageable;
    case MemoryKind::pinned: return MemoryPlace::pinned;
    case MemoryKind::managed:
    case MemoryKind::managed_static: return MemoryPlace::managed;
    default: return device >= 0 ? MemoryPlace::device : MemoryPlace::host;
  }
}

bool on_gpu(MemoryPlace place) { return place == MemoryPlace::device || place == MemoryPlace::managed; }

/// What tells one place from another: rank, host or not, device (or process and CUDA's number), process, kind.
using PlaceKey = std::tuple<RankId, bool, DeviceId, ProcessId, int32_t, MemoryPlace, ProcessId>;

/// CUDA's numbers of the GPUs in each process -> the devices that the file describes.
class Devices {
 public:
  explicit Devices(const Trace& trace) : trace_(trace) {
    for (const Stream& s : trace.streams) {
      if (s.device != kNone) of_stream_.try_emplace({s.process, s.ordinal}, s.device);
    }
  }
  [[nodiscard]] DeviceId find(ProcessId process, int32_t ordinal) const {
    const auto found = of_stream_.find({process, ordinal});
    if (found != of_stream_.end()) return found->second;
    const RankId rank = trace_.processes[process].rank;
    const auto device = std::ranges::find_if(
        trace_.devices, [&](const Device& d) { return d.rank == rank && d.cuda_ordinal == ordinal; });
    return device == trace_.devices.end() ? kNone : static_cast<DeviceId>(device - trace_.devices.begin());
  }

 private:
  const Trace& trace_;
  std::map<std::pair<ProcessId, int32_t>, DeviceId> of_stream_;
};

/// The bytes of one process in one place.
struct Level {
  int64_t before = 0;             ///< in use before the first event
  std::optional<int64_t> offset;  ///< sum of the changes up to the first event that tells a total
  int64_t sum = 0;                ///< of the changes so far
  int64_t now = 0;
  boost::unordered_flat_map<int64_t, int64_t> live;  ///< address -> bytes
  int64_t kept = 0;                                  ///< allocations without a release
  int64_t kept_bytes = 0;
  bool lacks_address = false;
};

/// Sums up the allocations of a trace, event by event.
class Meter {
 public:
  Meter(const Trace& trace, MemoryScope scope) : trace_(trace), scope_(scope), devices_(trace) {}

  std::vector<MemoryUse> measure() {
    const Allocations& a = trace_.allocations;
    std::vector<uint32_t> of_row;
    Longs change(row_count(a));
    for (Row row = 0; row < row_count(a); ++row) {
      of_row.push_back(use_of(row));
      change[row] = look_ahead(row, of_row.back());
    }
    for (auto& levels : levels_) {
      for (auto& [process, level] : levels) level.now = level.before;
    }
    for (size_t use = 0; use < uses_.size(); ++use) finish(use);
    for (Row row = 0; row < row_count(a); ++row) advance(row, of_row[row], change[row]);
    std::ranges::stable_sort(
        uses_, {}, [](const MemoryUse& u) { return std::tuple(!on_gpu(u.place), u.rank, u.ordinal, u.place); });
    return std::move(uses_);
  }

 private:
  uint32_t use_of(Row row) {
    const Allocations& a = trace_.allocations;
    const MemoryPlace place = place_of(a, row);
    const ProcessId process = a.process[row];
    const RankId rank = trace_.processes[process].rank;
    const DeviceId device = on_gpu(place) ? devices_.find(process, a.device[row]) : kNone;
    const bool by_number = on_gpu(place) && device == kNone;
    const PlaceKey key{rank,
                       on_gpu(place),
                       device,
                       by_number ? process : kNone,
                       by_number ? a.device[row] : -1,
                       place,
                       scope_ == MemoryScope::per_process ? process : kNone};
    const auto [found, fresh] = found_.try_emplace(key, static_cast<uint32_t>(uses_.size()));
    if (fresh) {
      levels_.emplace_back();
      MemoryUse& use = uses_.emplace_back();
      use.rank = rank;
      use.process = std::get<6>(key);
      use.place = place;
      use.device = device;
      if (on_gpu(place)) {
        use.ordinal = a.device[row];
        use.gpu = gpu_place(trace_, rank, use.ordinal);
      }
    }
    return found->second;
  }

  /// The change of an event, and what it tells of the time before the first.
  int64_t look_ahead(Row row, uint32_t use) {
    const Allocations& a = trace_.allocations;
    Level& level = levels_[use][a.process[row]];
    int64_t bytes = a.bytes[row] == kUnknown ? 0 : a.bytes[row];
    const bool allocates = a.kind[row] == static_cast<uint8_t>(AllocationKind::allocate);
    const int64_t address = a.address.empty() ? kUnknown : a.address[row];
    level.lacks_address = level.lacks_address || address == kUnknown;
    if (allocates) {
      if (address != kUnknown) level.live[address] = bytes;
      ++level.kept;
      level.kept_bytes += bytes;
    } else if (const auto live = level.live.find(address); live != level.live.end()) {
      if (bytes == 0) bytes = live->second;
      --level.kept;
      level.kept_bytes -= live->second;
      level.live.erase(live);
    } else if (!level.offset) {
      level.before += bytes;
    }
    level.sum += allocates ? bytes : -bytes;
    if (!level.offset && has_total(row)) {
      level.offset = level.sum;
      level.before = a.total_bytes[row] - level.sum;
    }
    ++(allocates ? uses_[use].allocations : uses_[use].releases);
    return allocates ? bytes : -bytes;
  }

  void finish(size_t use) {
    MemoryUse& u = uses_[use];
    for (const auto& [process, level] : levels_[use]) {
      u.start_bytes += level.before;
      if (level.lacks_address) u.not_released = kUnknown;
      if (u.not_released != kUnknown) u.not_released += level.kept;
      u.not_released_bytes += level.kept_bytes;
    }
    if (u.not_released == kUnknown) u.not_released_bytes = kUnknown;
  }

  void advance(Row row, uint32_t use, int64_t change) {
    const Allocations& a = trace_.allocations;
    MemoryUse& u = uses_[use];
    Level& level = levels_[use][a.process[row]];
    const int64_t before = u.bytes.empty() ? u.start_bytes : u.bytes.back();
    const int64_t now = has_total(row) ? a.total_bytes[row] : level.now + change;
    u.time.push_back(a.start[row]);
    u.bytes.push_back(before + now - level.now);
    u.row.push_back(row);
    level.now = now;
    if (!a.reserved_bytes.empty()) u.peak_reserved_bytes = std::max(u.peak_reserved_bytes, a.reserved_bytes[row]);
  }

  [[nodiscard]] bool has_total(Row row) const {
    const Longs& total = trace_.allocations.total_bytes;
    return !total.empty() && total[row] != kUnknown;
  }

  const Trace& trace_;
  MemoryScope scope_;
  Devices devices_;
  std::map<PlaceKey, uint32_t> found_;
  std::vector<MemoryUse> uses_;
  std::vector<std::map<ProcessId, Level>> levels_;  ///< of each use
};

}  // namespace

std::string_view name_of(MemoryPlace place) {
  switch (place) {
    case MemoryPlace::device: return "Device";
    case MemoryPlace::managed: return "Managed";
    case MemoryPlace::pinned: return "Pinned";
    case MemoryPlace::pageable: return "Pageable";
    case MemoryPlace::host: return "Host";
  }
  return {};
}

int64_t MemoryUse::at(int64_t time_ns) const {
  const auto after = std::ranges::upper_bound(time, time_ns);
  return after == time.begin() ? start_bytes : bytes[static_cast<size_t>(after - time.begin()) - 1];
}

std::vector<MemoryUse> memory_uses(const Trace& trace, MemoryScope scope) { return Meter(trace, scope).measure(); }

MemoryPeak peak_of(const MemoryUse& use) {
  MemoryPeak peak{use.start_bytes, kUnknown};
  for (size_t i = 0; i < use.bytes.size(); ++i) {
    if (use.bytes[i] > peak.bytes) peak = {use.bytes[i], use.time[i]};
  }
  return peak;
}

LinearTrend growth_per_step(const MemoryUse& use, std::span<const Span> steps) {
  Longs levels;
  levels.reserve(steps.size());
  for (const Span& step : steps) levels.push_back(use.at(step.second));
  return linear_trend(levels);
}

MemoryPeaks::MemoryPeaks(const MemoryUse& use) : use_(use), highest_(2 * use.bytes.size()) {
  std::ranges::copy(use.bytes, highest_.begin() + static_cast<std::ptrdiff_t>(use.bytes.size()));
  for (size_t node = use.bytes.size(); node-- > 1;) {
    highest_[node] = std::max(highest_[2 * node], highest_[2 * node + 1]);
  }
}

int64_t MemoryPeaks::within(Span span) const {
  const size_t leaves = use_.time.size();
  const auto leaf_after = [&](auto found) { return static_cast<size_t>(found - use_.time.begin()) + leaves; };
  size_t first = leaf_after(std::ranges::upper_bound(use_.time, span.first));
  size_t last = leaf_after(std::ranges::upper_bound(use_.time, span.second));
  int64_t highest = use_.at(span.first);
  for (; first < last; first /= 2, last /= 2) {
    if (first % 2 == 1) highest = std::max(highest, highest_[first++]);
    if (last % 2 == 1) highest = std::max(highest, highest_[--last]);
  }
  return highest;
}

}  // namespace sonde
