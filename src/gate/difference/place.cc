#include "gate/difference/place.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>

namespace sonde::gate {
namespace {

/// What the place must hold of the change; the others are noise beside it.
constexpr double kMostShare = 0.8;

using Parts = std::vector<std::string>;

std::string without_numbers(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) {
      result += c;
    } else if (!result.ends_with('#')) {
      result += '#';
    }
  }
  return result;
}

Parts parts_of(std::string_view path) {
  Parts parts;
  for (const auto part : std::views::split(path, '/')) parts.emplace_back(std::string_view(part));
  return parts;
}

std::string joined(const Parts& parts) {
  std::string path;
  for (const std::string& part : parts) path += (path.empty() ? "" : "/") + part;
  return path;
}

/// The heaviest that together have most of the weight.
std::vector<std::string> heaviest(const std::map<std::string, double>& weights) {
  std::vector<std::pair<std::string, double>> sorted(weights.begin(), weights.end());
  std::ranges::stable_sort(sorted, std::greater(), &std::pair<std::string, double>::second);
  double all = 0;
  for (const auto& [path, weight] : sorted) all += weight;
  std::vector<std::string> most;
  double sum = 0;
  for (const auto& [path, weight] : sorted) {
    if (sum >= kMostShare * all && !most.empty()) break;
    most.push_back(path);
    sum += weight;
  }
  return most;
}

/// What both begin and end with, "*" between.
std::string with_star(const std::string& a, const std::string& b) {
  if (a == b) return a;
  const auto begin = static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  size_t end = 0;
  while (end < std::min(a.size(), b.size()) - begin && a[a.size() - 1 - end] == b[b.size() - 1 - end]) ++end;
  return a.substr(0, begin) + "*" + a.substr(a.size() - end);
}

/// Paths of one depth with "*" where they differ; empty where they are of several depths.
Parts with_stars(const std::vector<Parts>& paths) {
  Parts merged = paths.front();
  for (const Parts& path : paths) {
    if (path.size() != merged.size()) return {};
    for (size_t i = 0; i < path.size(); ++i) {
      merged[i] = with_star(merged[i], path[i]);
    }
  }
  return merged;
}

Parts common_beginning(const std::vector<Parts>& paths) {
  Parts common = paths.front();
  for (const Parts& path : paths) {
    const auto end = std::ranges::mismatch(common, path).in1;
    common.erase(end, common.end());
  }
  return common;
}

std::string merged_place(const std::vector<std::string>& modules) {
  std::vector<Parts> paths;
  for (const std::string& path : modules) paths.push_back(parts_of(path));
  const Parts starred = with_stars(paths);
  // A star alone in the end says nothing of what they have in common.
  constexpr size_t kTelling = 3;
  if (!starred.empty() && starred.back().size() >= kTelling) return joined(starred);
  const Parts common = common_beginning(paths);
  // An outermost range alone, such as the step, tells no more than the heaviest of the modules do.
  if (common.size() > 1) return joined(common);
  return module_name(modules[0]) + ", " + module_name(modules[1]) + (modules.size() > 2 ? ", ..." : "");
}

}  // namespace

std::string place_of(const Weights& weights) {
  std::map<std::string, double> exact;
  std::map<std::string, double> alike;
  for (const auto& [path, weight] : weights) {
    exact[path] += std::abs(weight);
    alike[without_numbers(path)] += std::abs(weight);
  }
  if (exact.empty()) return module_name({});
  if (const auto most = heaviest(exact); most.size() == 1) return module_name(most.front());
  const auto most = heaviest(alike);
  return most.size() == 1 ? module_name(most.front()) : merged_place(most);
}

std::string place_of(std::span<Leaf* const> leaves) {
  Weights weights;
  for (const Leaf* leaf : leaves) weights.emplace_back(leaf->key.module, static_cast<double>(leaf->open_ns));
  return place_of(weights);
}

}  // namespace sonde::gate
