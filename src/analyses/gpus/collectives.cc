#include "analyses/gpus/collectives.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>

#include "trace/columns.h"

namespace sonde {
namespace {

/// What kernels of one collective share. A kernel that is not described has its name only.
struct Key {
  NameId name = kNone;
  bool described = false;
  Collective description;
  auto operator<=>(const Key&) const = default;
};

/// Rows of `kernels` by GPU, in the order of time.
using RowsByGpu = std::map<uint32_t, std::vector<Row>>;

Key key_of(const Trace& trace, Row row) {
  const Kernels& k = trace.kernels;
  const uint32_t collective = row < k.collective.size() ? k.collective[row] : kNone;
  if (collective == kNone || trace.collectives[collective].group == kNone) return {k.name[row], false, {}};
  const Collective& description = trace.collectives[collective];
  return {description.name, true, description};
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
  const int64_t element = c.dtype == kNone ? kUnknown : bytes_of_type(trace.name(c.dtype));
  const int64_t elements = std::max(c.in_elements, c.out_elements);
  return element == kUnknown || elements == kUnknown ? kUnknown : elements * element;
}

class Matcher {
 public:
  Matcher(const Trace& trace, const std::vector<CommunicationKind>& kinds)
      : trace_(trace), kinds_(kinds), one_clock_(has_one_clock(trace)), lacks_ranks_(lacks_ranks(trace)) {}

  void match(const Key& key, const RowsByGpu& rows) {
    for (const auto& [gpu, of_gpu] : rows) found_.unmatched += static_cast<int64_t>(of_gpu.size());
    if (rows.size() < 2) return;
    const bool pair = kinds_[rows.begin()->second.front()] == CommunicationKind::send_receive && !key.described;
    if (pair && rows.size() > 2) return;
    if (one_clock_) {
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
    c.name = key.name;
    c.one_clock = one_clock_;
    if (!lacks_ranks_) c.group_size = static_cast<int64_t>(place.size());
    if (key.described) {
      c.group = key.description.group;
      c.bytes = bytes_of(trace_, key.description);
      if (key.description.group_size != kUnknown) c.group_size = key.description.group_size;
    }
    for (const auto& [gpu, row] : place) c.participants.push_back({gpu, row, k.start[row], k.end[row]});
    found_.unmatched -= static_cast<int64_t>(place.size());
    found_.all.push_back(std::move(c));
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
  std::map<Key, RowsByGpu> keys;
  for (Row row = 0; row < row_count(k); ++row) {
    if (kinds[row] != CommunicationKind::none) keys[key_of(trace, row)][gpus.of_stream[k.stream[row]]].push_back(row);
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
