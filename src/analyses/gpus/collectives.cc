#include "analyses/gpus/collectives.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "analyses/gpus/collective_ranges.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// What kernels of one collective share. A kernel that is not described has a name only: that of the range that names
/// its collective, else its own.
struct Key {
  NameId name = kNone;
  std::string range = {};
  bool described = false;
  Collective description = {};
  std::string peers = {};  ///< "0->1" of a send from rank 0 to rank 1 and of its receive
  auto operator<=>(const Key&) const = default;
};

/// Rows of `kernels` by GPU, in the order of time.
using RowsByGpu = std::map<uint32_t, std::vector<Row>>;

/// Of the ranges "nccl:send 0->1" and "nccl:recv 1<-0": "0->1". Empty where a range does not name both ranks.
std::string peers_of(std::string_view range) {
  const auto ranks = range.substr(range.find_last_of(' ') + 1);
  const size_t sends = ranks.find("->");
  if (sends != std::string_view::npos) return std::string(ranks);
  const size_t receives = ranks.find("<-");
  if (receives == std::string_view::npos) return {};
  return fmt::format("{}->{}", ranks.substr(receives + 2), ranks.substr(0, receives));
}

/// Ranks may have sizes of their own.
bool may_be_uneven(CommunicationKind kind) {
  return kind == CommunicationKind::all_to_all || kind == CommunicationKind::send_receive ||
         kind == CommunicationKind::other;
}

/// Of "nccl:all_to_all, op_id = 990772", PyTorch's name with what distinguishes its calls: "nccl:all_to_all".
std::string_view collective_of(std::string_view range) { return range.substr(0, range.find(',')); }

Key key_of(const Trace& trace, CollectiveRanges& ranges, CommunicationKind kind, Row row) {
  const Kernels& k = trace.kernels;
  const bool pair = kind == CommunicationKind::send_receive;
  const uint32_t collective = row < k.collective.size() ? k.collective[row] : kNone;
  const bool described = collective != kNone && trace.collectives[collective].group != kNone;
  const NameId range = described && !pair ? kNone : ranges.around(row);
  if (pair && range != kNone) {
    if (std::string peers = peers_of(trace.name(range)); !peers.empty()) return {.peers = std::move(peers)};
  }
  if (!described && (range == kNone || pair)) return {.name = k.name[row]};
  if (!described) return {.range = std::string(collective_of(trace.name(range)))};
  Key key{.name = trace.collectives[collective].name, .described = true, .description = trace.collectives[collective]};
  if (may_be_uneven(kind)) key.description.in_elements = key.description.out_elements = kUnknown;
  if (pair) key.name = key.description.name = kNone;  // a send meets a receive
  return key;
}

bool has_one_clock(const Trace& trace) {
  return std::ranges::none_of(trace.log.entries(), [](const auto& e) { return e.issue == Issue::clocks_not_aligned; });
}

/// Whether the job has ranks that are not in the profile.
bool lacks_ranks(const Trace& trace) {
  return std::ranges::any_of(trace.ranks, [&](const Rank& rank) {
    return rank.world_size && static_cast<size_t>(std::max(0, *rank.world_size)) > trace.ranks.size();
  });
}

/// Bytes of an element as PyTorch names its type.
int64_t bytes_of_type(std::string_view dtype) {
  constexpr auto kTypes = std::to_array<std::pair<std::string_view, int64_t>>({{"Float8", 1},
                                                                               {"Float", 4},
                                                                               {"Double", 8},
                                                                               {"Half", 2},
                                                                               {"BFloat16", 2},
                                                                               {"Long", 8},
                                                                               {"Int", 4},
                                                                               {"Short", 2},
                                                                               {"Byte", 1},
                                                                               {"Char", 1},
                                                                               {"Bool", 1}});
  for (const auto& [prefix, bytes] : kTypes) {
    if (dtype.starts_with(prefix)) return bytes;
  }
  return kUnknown;
}

/// The size as NCCL's tests count it: the larger of what goes in and what comes out.
int64_t bytes_of(const Trace& trace, const Collective& c) {
  if (c.dtype == kNone) return kUnknown;
  const int64_t of_nccl = bytes_of_nccl_type(trace.name(c.dtype));
  const int64_t element = of_nccl == kUnknown ? bytes_of_type(trace.name(c.dtype)) : of_nccl;
  const int64_t elements = std::max(c.in_elements, c.out_elements);
  return size_product(elements, element);
}

class Matcher {
 public:
  Matcher(const Trace& trace, const std::vector<CommunicationKind>& kinds)
      : trace_(trace), kinds_(kinds), one_clock_(has_one_clock(trace)), lacks_ranks_(lacks_ranks(trace)) {}

  void match(const Key& key, const RowsByGpu& rows) {
    for (const auto& [gpu, of_gpu] : rows) found_.unmatched += static_cast<int64_t>(of_gpu.size());
    if (rows.size() < 2) return;
    const bool pair = kinds_[rows.begin()->second.front()] == CommunicationKind::send_receive;
    if (pair && rows.size() > 2) {
      if (one_clock_) match_by_end(key, rows);
    } else if (one_clock_) {
      match_by_time(key, rows);
    } else {
      match_by_order(key, rows);
    }
  }

  [[nodiscard]] Collectives take() {
    std::ranges::stable_sort(found_.all, {}, [](const auto& c) { return c.first_entry_ns(); });
    found_.of_kernel.assign(row_count(trace_.kernels), kNone);
    for (size_t c = 0; c < found_.all.size(); ++c) {
      for (const Participant& p : found_.all[c].participants) found_.of_kernel[p.kernel] = static_cast<uint32_t>(c);
    }
    return std::move(found_);
  }

 private:
  using Place = std::vector<std::pair<uint32_t, Row>>;  ///< GPU and kernel
  /// A send and its receive end within microseconds of each other on one host; over a network later by its latency.
  static constexpr int64_t kEndTogetherNs = 20'000;
  static constexpr int64_t kEndTogetherParts = 20;

  /// The kernel that ends first of those at the front has no counterpart when another enters only later.
  void match_by_time(const Key& key, const RowsByGpu& rows) {
    const Kernels& k = trace_.kernels;
    std::map<uint32_t, size_t> next;
    for (const auto& [gpu, of_gpu] : rows) next[gpu] = 0;
    while (std::ranges::all_of(rows, [&](const auto& r) { return next[r.first] < r.second.size(); })) {
      Place front;
      for (const auto& [gpu, of_gpu] : rows) front.emplace_back(gpu, of_gpu[next[gpu]]);
      const auto ends_first = std::ranges::min_element(front, {}, [&](const auto& p) { return k.end[p.second]; });
      const auto enters_last = std::ranges::max_element(front, {}, [&](const auto& p) { return k.start[p.second]; });
      if (k.start[enters_last->second] >= k.end[ends_first->second]) {
        ++next[ends_first->first];
        continue;
      }
      add(key, front);
      for (auto& [gpu, at] : next) ++at;
    }
  }

  /// Who meets whom is not known: kernels of different GPUs that run at the same time and end together.
  void match_by_end(const Key& key, const RowsByGpu& rows) {
    const Kernels& k = trace_.kernels;
    Place all;
    for (const auto& [gpu, of_gpu] : rows) {
      for (const Row row : of_gpu) all.emplace_back(gpu, row);
    }
    std::ranges::stable_sort(all, {}, [&](const auto& p) { return k.end[p.second]; });
    for (size_t first = 0; first < all.size();) {
      const Row ends_first = all[first].second;
      const int64_t duration = k.end[ends_first] - k.start[ends_first];
      const int64_t until = k.end[ends_first] + std::max(kEndTogetherNs, duration / kEndTogetherParts);
      Place together{all[first]};
      size_t next = first + 1;
      for (; next < all.size() && k.end[all[next].second] <= until; ++next) {
        const auto [gpu, row] = all[next];
        const bool another = std::ranges::find(together, gpu, &Place::value_type::first) == together.end();
        if (!another || k.start[row] >= k.end[ends_first]) break;
        together.push_back(all[next]);
      }
      if (together.size() > 1) {
        std::ranges::sort(together);
        add(key, together);
      }
      first = next;
    }
  }

  void match_by_order(const Key& key, const RowsByGpu& rows) {
    const size_t count = rows.begin()->second.size();
    if (std::ranges::any_of(rows, [&](const auto& r) { return r.second.size() != count; })) return;
    for (size_t i = 0; i < count; ++i) {
      Place front;
      for (const auto& [gpu, of_gpu] : rows) front.emplace_back(gpu, of_gpu[i]);
      add(key, front);
    }
  }

  void add(const Key& key, const Place& place) {
    const Kernels& k = trace_.kernels;
    MatchedCollective c;
    c.kind = kinds_[place.front().second];
    c.name = key.name == kNone ? k.name[place.front().second] : key.name;
    c.one_clock = one_clock_;
    if (!lacks_ranks_) c.group_size = static_cast<int64_t>(place.size());
    if (key.described) {
      c.group = key.description.group;
      c.algorithm = key.description.algorithm;
      c.protocol = key.description.protocol;
      c.bytes = most_bytes(place);
      const bool pair = c.kind == CommunicationKind::send_receive;
      if (key.description.group_size != kUnknown && !pair) c.group_size = key.description.group_size;
    }
    if (!key.peers.empty()) c.group_size = 2;
    for (const auto& [gpu, row] : place) c.participants.push_back({gpu, row, k.start[row], k.end[row]});
    found_.unmatched -= static_cast<int64_t>(place.size());
    found_.all.push_back(std::move(c));
  }

  /// Of the participant that moves the most.
  [[nodiscard]] int64_t most_bytes(const Place& place) const {
    int64_t most = kUnknown;
    for (const auto& [gpu, row] : place) {
      const int64_t bytes = bytes_of(trace_, trace_.collectives[trace_.kernels.collective[row]]);
      if (bytes != kUnknown) most = most == kUnknown ? bytes : std::max(most, bytes);
    }
    return most;
  }

  const Trace& trace_;
  const std::vector<CommunicationKind>& kinds_;
  bool one_clock_;
  bool lacks_ranks_;
  Collectives found_;
};

}  // namespace

bool MatchedCollective::complete() const {
  return group_size != kUnknown && static_cast<int64_t>(participants.size()) >= group_size;
}

const Participant& MatchedCollective::last() const {
  return *std::ranges::max_element(participants, {}, &Participant::entry_ns);
}

int64_t MatchedCollective::first_entry_ns() const {
  return std::ranges::min_element(participants, {}, &Participant::entry_ns)->entry_ns;
}

int64_t MatchedCollective::end_ns() const {
  return std::ranges::max_element(participants, {}, &Participant::end_ns)->end_ns;
}

int64_t MatchedCollective::transfer_ns() const {
  if (one_clock) return end_ns() - last().entry_ns;
  int64_t shortest = std::numeric_limits<int64_t>::max();
  for (const Participant& p : participants) shortest = std::min(shortest, p.end_ns - p.entry_ns);
  return shortest;
}

Collectives match_collectives(const Trace& trace, const Gpus& gpus, const std::vector<CommunicationKind>& kinds) {
  const Kernels& k = trace.kernels;
  CollectiveRanges ranges(trace);
  std::map<Key, RowsByGpu> keys;
  for (Row row = 0; row < row_count(k); ++row) {
    if (kinds[row] == CommunicationKind::none) continue;
    keys[key_of(trace, ranges, kinds[row], row)][gpus.of_stream[k.stream[row]]].push_back(row);
  }
  Matcher matcher(trace, kinds);
  for (const auto& [key, rows] : keys) matcher.match(key, rows);
  return matcher.take();
}

double bus_factor(CommunicationKind kind, int64_t participants) {
  const auto n = static_cast<double>(participants);
  switch (kind) {
    case CommunicationKind::all_reduce: return 2 * (n - 1) / n;
    case CommunicationKind::reduce_scatter:
    case CommunicationKind::all_gather:
    case CommunicationKind::all_to_all: return (n - 1) / n;
    default: return 1;
  }
}

}  // namespace sonde
