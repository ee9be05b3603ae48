#include <algorithm>
#include <tuple>

#include "analyses/gpus/idle_time.h"
#include "analyses/steps/warm_up.h"
#include "analyses/tables/grouping.h"
#include "gate/record/run_part.h"
#include "trace/columns.h"

namespace sonde::gate {
namespace {

struct IdleKey {
  uint32_t gpu = 0;
  uint32_t path = 0;
  uint32_t what = 0;  ///< NameId or kNone
  IdleCause cause = IdleCause::unknown;

  friend bool operator==(const IdleKey&, const IdleKey&) = default;
  friend size_t hash_value(const IdleKey& key) {
    return boost::hash<std::pair<uint64_t, uint64_t>>()(
        {uint64_t{key.gpu} << 32 | static_cast<uint64_t>(key.cause), uint64_t{key.path} << 32 | key.what});
  }
};

/// Which names are those of calls: digits are part of them. Those in a range's count them up.
std::vector<bool> names_of_calls(const Trace& trace) {
  std::vector<bool> is_call(trace.names.size(), false);
  for (const Calls* calls : {&trace.api, &trace.os_calls, &trace.library_calls, &trace.overheads}) {
    for (const NameId name : calls->name) is_call[name] = true;
  }
  return is_call;
}

/// The module that the thread was in which the GPU waited for, or that launched what came next.
uint32_t path_of(const RunPart& part, const IdlePiece& piece) {
  const uint32_t module = piece.range == kNone ? kNone : part.tree.of_range[piece.range];
  return module == kNone ? part.path_of_call(piece.launch) : part.modules.of(module);
}

/// Adds up groups that have become alike without the numbers in their names. They are sorted.
std::vector<IdleGroup> joined(std::vector<IdleGroup> groups) {
  const auto key = [](const IdleGroup& g) { return std::tie(g.gpu, g.cause, g.module, g.what); };
  std::ranges::sort(groups, {}, key);
  std::vector<IdleGroup> all;
  for (IdleGroup& group : groups) {
    if (all.empty() || key(all.back()) != key(group)) {
      all.push_back(std::move(group));
      continue;
    }
    all.back().ns += group.ns;
    all.back().pieces += group.pieces;
  }
  return all;
}

}  // namespace

std::vector<IdleGroup> idle_groups(const RunPart& part) {
  struct Sum {
    int64_t ns = 0;
    int64_t pieces = 0;
  };
  Grouping<IdleKey> keys;
  std::vector<Sum> sums;
  for_each_idle_piece(part.trace, part.gpus, part.extent, [&](const IdlePiece& piece) {
    const uint32_t group = keys.group_of({piece.gpu, path_of(part, piece), piece.name, piece.cause});
    if (group == sums.size()) sums.emplace_back();
    sums[group].ns += piece.end_ns - piece.start_ns;
    ++sums[group].pieces;
  });
  const std::vector<bool> is_call = names_of_calls(part.trace);
  std::vector<IdleGroup> groups;
  for (uint32_t i = 0; i < keys.size(); ++i) {
    const IdleKey& key = keys.keys()[i];
    IdleGroup& group = groups.emplace_back();
    group.gpu = key.gpu;
    group.cause = info_of(key.cause).name;
    group.module = part.modules.paths[key.path];
    if (key.what != kNone) {
      const std::string_view name = part.trace.name(key.what);
      group.what = is_call[key.what] ? std::string(without_version(name)) : without_numbers(name);
    }
    group.ns = sums[i].ns;
    group.pieces = sums[i].pieces;
  }
  return joined(std::move(groups));
}

}  // namespace sonde::gate
