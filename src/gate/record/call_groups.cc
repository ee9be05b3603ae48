#include <algorithm>
#include <tuple>

#include "analyses/calls/api_kind.h"
#include "analyses/tables/grouping.h"
#include "gate/record/run_part.h"
#include "trace/columns.h"

namespace sonde::gate {
namespace {

bool is_launching(ApiKind kind, std::string_view name) {
  return kind == ApiKind::launch && !name.contains("HostFunc");  // cudaLaunchHostFunc: nothing for the GPU to run
}

/// Of the calls that deal with memory those that take some, and not those that give it back or map it.
bool allocates(ApiKind kind, std::string_view name) {
  if (kind != ApiKind::allocate) return false;
  return name.contains("Malloc") || name.contains("Alloc") || name.contains("HostRegister") ||
         name.starts_with("cuMemCreate");
}

bool same_group(const CallGroup& a, const CallGroup& b) {
  return std::tie(a.name, a.module) == std::tie(b.name, b.module);
}

void add(std::vector<int64_t>& sum, const std::vector<int64_t>& part) {
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
}

/// Adds up calls that differed by the version of an interface. They are sorted.
std::vector<CallGroup> joined(std::vector<CallGroup> groups) {
  std::ranges::sort(groups, {}, [](const CallGroup& g) { return std::tie(g.module, g.name); });
  std::vector<CallGroup> all;
  for (CallGroup& group : groups) {
    if (all.empty() || !same_group(all.back(), group)) {
      all.push_back(std::move(group));
      continue;
    }
    all.back().count += group.count;
    all.back().duration_ns += group.duration_ns;
    add(all.back().step_count, group.step_count);
    add(all.back().step_duration_ns, group.step_duration_ns);
  }
  return all;
}

}  // namespace

std::string_view without_version(std::string_view call) {
  const size_t mark = call.rfind("_v");
  if (mark == std::string_view::npos || mark + 2 == call.size()) return call;
  const bool is_version = std::ranges::all_of(call.substr(mark + 2), [](char c) { return c >= '0' && c <= '9'; });
  return is_version ? call.substr(0, mark) : call;
}

std::vector<CallGroup> call_groups(const RunPart& part) {
  const Calls& api = part.trace.api;
  Grouping<std::pair<uint32_t, NameId>> keys;
  Tally tally(part);
  for (Row row = 0; row < row_count(api); ++row) {
    if (!part.holds(api.start[row])) continue;
    const int64_t end = api.end[row] == kUnknown ? api.start[row] : api.end[row];
    tally.add(keys.group_of({part.path_of_call(row), api.name[row]}), api.start[row], end - api.start[row]);
  }
  std::vector<CallGroup> groups;
  for (uint32_t i = 0; i < keys.size(); ++i) {
    const auto& [path, name] = keys.keys()[i];
    CallGroup& group = groups.emplace_back();
    group.name = without_version(part.trace.name(name));
    group.module = part.modules.paths[path];
    const ApiKind kind = api_kind(group.name);
    group.launches = is_launching(kind, group.name);
    group.synchronizes = kind == ApiKind::synchronize;
    group.allocates = allocates(kind, group.name);
    tally.fill(i, group);
  }
  return joined(std::move(groups));
}

}  // namespace sonde::gate
