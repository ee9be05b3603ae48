#include "gate/difference/renamed_kernels.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "trace/kernel_name.h"

namespace sonde::gate {
namespace {

/// Names of a side, wherever they run.
std::set<std::string_view> kernels_of(const std::map<LeafKey, Leaf>& leaves, LeafSide Leaf::* side) {
  std::set<std::string_view> names;
  for (const auto& [key, leaf] : leaves) {
    if (!key.idle && key.kind == WorkKind::kernel && (leaf.*side).there) names.insert(key.name);
  }
  return names;
}

/// What kernels of both sides may be one: those of a module with the same base name.
using Place = std::pair<std::string_view, std::string_view>;
struct Candidates {
  std::vector<const LeafKey*> base;
  std::vector<const LeafKey*> changed;
};

std::map<Place, Candidates> candidates_of(const std::map<LeafKey, Leaf>& leaves) {
  const auto before = kernels_of(leaves, &Leaf::base);
  const auto after = kernels_of(leaves, &Leaf::changed);
  std::map<Place, Candidates> places;
  for (const auto& [key, leaf] : leaves) {
    if (key.idle || key.kind != WorkKind::kernel) continue;
    Candidates& place = places[{key.module, base_kernel_name(key.name)}];
    if (!after.contains(key.name)) place.base.push_back(&key);
    if (!before.contains(key.name)) place.changed.push_back(&key);
  }
  return places;
}

bool as_often(const Leaf& base, const Leaf& changed) {
  constexpr double kPart = 0.02;
  const double most = std::max(base.base.count, changed.changed.count);
  return std::abs(base.base.count - changed.changed.count) <= kPart * most;
}

}  // namespace

std::string_view base_kernel_name(std::string_view kernel) {
  const std::string_view name = short_kernel_name(kernel);
  const size_t end = name.find_last_not_of("0123456789_.");
  return end == std::string_view::npos ? name : name.substr(0, end + 1);
}

std::string name_change(std::string_view base, std::string_view changed) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  const size_t shortest = std::min(base.size(), changed.size());
  size_t begin = 0;
  while (begin < shortest && base[begin] == changed[begin]) ++begin;
  while (begin > 0 && is_word(base[begin - 1])) --begin;
  size_t end = 0;
  while (end < shortest - begin && base[base.size() - 1 - end] == changed[changed.size() - 1 - end]) ++end;
  while (end > 0 && is_word(base[base.size() - end])) --end;
  const auto part = [&](std::string_view name) { return name.substr(begin, name.size() - end - begin); };
  return fmt::format("{} -> {}", part(base), part(changed));
}

void pair_renamed(std::map<LeafKey, Leaf>& leaves) {
  for (const auto& [place, found] : candidates_of(leaves)) {
    if (found.base.size() != 1 || found.changed.size() != 1) continue;
    const auto base = leaves.find(*found.base.front());
    const auto changed = leaves.find(*found.changed.front());
    if (!as_often(base->second, changed->second)) continue;
    base->second.changed = std::move(changed->second.changed);
    base->second.new_name = changed->first.name;
    leaves.erase(changed);
  }
}

}  // namespace sonde::gate
