#include <algorithm>
#include <tuple>

#include "analyses/gpus/communication_kind.h"
#include "analyses/gpus/operation_names.h"
#include "analyses/tables/grouping.h"
#include "gate/record/run_part.h"
#include "trace/columns.h"

namespace sonde::gate {
namespace {

/// What tells groups of work apart.
struct WorkKey {
  uint32_t gpu = 0;
  uint32_t name = 0;  ///< NameId of a kernel, CopyKind of a copy
  uint32_t path = 0;
  WorkKind kind = WorkKind::kernel;
  bool pageable = false;
  bool communication = false;

  friend bool operator==(const WorkKey&, const WorkKey&) = default;
  friend size_t hash_value(const WorkKey& key) {
    const auto flags = static_cast<uint64_t>(key.kind) * 4 + (key.pageable ? 2U : 0U) + (key.communication ? 1U : 0U);
    return boost::hash<std::pair<uint64_t, uint64_t>>()(
        {uint64_t{key.gpu} << 32 | key.name, uint64_t{key.path} << 32 | flags});
  }
};

class WorkCounter {
 public:
  explicit WorkCounter(const RunPart& part)
      : part_(part), trace_(part.trace), communication_(communication_kinds(part.trace)), tally_(part) {}

  std::vector<WorkGroup> count() {
    collect(trace_.kernels, WorkKind::kernel, nullptr, [&](Row row, WorkKey& key) {
      key.name = trace_.kernels.name[row];
      key.communication = communication_[row] != CommunicationKind::none;
    });
    collect(trace_.copies, WorkKind::copy, &trace_.copies.bytes, [&](Row row, WorkKey& key) {
      key.name = trace_.copies.kind[row];
      key.pageable = is_pageable(row);
      key.communication = is_peer_copy(trace_.copies, row);
    });
    collect(trace_.sets, WorkKind::set, &trace_.sets.bytes, [](Row, WorkKey&) {});
    collect(trace_.graph_launches, WorkKind::graph_launch, nullptr, [](Row, WorkKey&) {});
    return groups();
  }

 private:
  [[nodiscard]] bool is_pageable(Row row) const {
    constexpr auto kPageable = static_cast<uint8_t>(MemoryKind::pageable);
    return trace_.copies.source[row] == kPageable || trace_.copies.destination[row] == kPageable;
  }

  template <typename Describe>
  void collect(const GpuOps& ops, WorkKind kind, const Longs* bytes, Describe describe) {
    const Longs& share = part_.shares.of(trace_, ops);
    for (Row row = 0; row < row_count(ops); ++row) {
      const int64_t moment = part_.launched_at(ops, row);
      const bool counted = part_.holds(moment);
      if (!counted && share[row] == 0) continue;
      WorkKey key{
          .gpu = part_.gpus.of_stream[ops.stream[row]], .path = part_.path_of_call(ops.launch[row]), .kind = kind};
      describe(row, key);
      const uint32_t group = keys_.group_of(key);
      if (group == sums_.size()) sums_.emplace_back();
      sums_[group].share_ns += share[row];
      if (!counted) continue;
      tally_.add(group, moment, ops.end[row] - ops.start[row]);
      if (bytes != nullptr && (*bytes)[row] != kUnknown) add_bytes(sums_[group], moment, (*bytes)[row]);
    }
  }

  struct Sums {
    int64_t share_ns = 0;
    int64_t bytes = 0;
    std::vector<int64_t> step_bytes;  ///< empty where there are none
  };

  void add_bytes(Sums& sums, int64_t moment, int64_t bytes) const {
    sums.bytes += bytes;
    const uint32_t step = part_.window_at(moment);
    if (step == kNone) return;
    sums.step_bytes.resize(part_.windows.size());
    sums.step_bytes[step] += bytes;
  }

  [[nodiscard]] std::string name_of(const WorkKey& key) const {
    if (key.kind == WorkKind::kernel) return std::string(trace_.name(key.name));
    return key.kind == WorkKind::copy ? std::string(copy_direction(static_cast<uint8_t>(key.name))) : std::string();
  }

  [[nodiscard]] std::vector<WorkGroup> groups() const {
    std::vector<WorkGroup> all;
    for (uint32_t i = 0; i < keys_.size(); ++i) {
      const WorkKey& key = keys_.keys()[i];
      WorkGroup& group = all.emplace_back();
      group.kind = key.kind;
      group.gpu = key.gpu;
      group.name = name_of(key);
      group.module = part_.modules.paths[key.path];
      group.pageable = key.pageable;
      group.communication = key.communication;
      group.share_ns = sums_[i].share_ns;
      group.bytes = sums_[i].bytes;
      group.step_bytes = sums_[i].step_bytes;
      group.step_bytes.resize(part_.windows.size());
      tally_.fill(i, group);
    }
    std::ranges::sort(all, {}, [](const WorkGroup& g) {
      return std::tie(g.kind, g.module, g.name, g.gpu, g.pageable, g.communication);
    });
    return all;
  }

  const RunPart& part_;
  const Trace& trace_;
  std::vector<CommunicationKind> communication_;
  Grouping<WorkKey> keys_;
  std::vector<Sums> sums_;
  Tally tally_;
};

}  // namespace

std::vector<WorkGroup> work_groups(const RunPart& part) { return WorkCounter(part).count(); }

}  // namespace sonde::gate
