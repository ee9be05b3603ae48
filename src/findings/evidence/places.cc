#include "findings/evidence/places.h"

#include <algorithm>

#include <fmt/format.h>

#include "trace/columns.h"

namespace sonde {

const std::string& Places::label_of(NameId name) {
  const auto [known, fresh] = labels_.try_emplace(name);
  if (fresh) known->second = without_numbers(facts_.trace.name(name));
  return known->second;
}

void Places::add(Row call, int64_t weight) {
  const Ranges& r = facts_.trace.ranges;
  whole_ += weight;
  std::map<std::string_view, int64_t> depths;  // a name counts once, however often it is around the call
  for (const DomainLinks& links : facts_.trace.range_links) {
    if (facts_.trace.domains[links.domain].kind == DomainKind::python) continue;
    std::vector<std::string_view> path;
    for (Row row = links.of_api[call]; row != kNone; row = r.parent[row]) path.emplace_back(label_of(r.name[row]));
    // Where it is outermost.
    for (size_t i = 0; i < path.size(); ++i) depths[path[i]] = static_cast<int64_t>(path.size() - i);
  }
  for (const auto& [name, depth] : depths) {
    Weight& of_name = weights_[name];
    of_name.weight += weight;
    of_name.depth = std::max(of_name.depth, depth);
  }
}

Places::Place Places::most() const {
  std::string_view found;
  int64_t depth = 0;
  for (const auto& [name, of_name] : weights_) {
    if (4 * of_name.weight < 3 * whole_ || of_name.depth <= depth) continue;
    found = name;
    depth = of_name.depth;
  }
  Place place{std::string(found), 0};
  const Ranges& r = facts_.trace.ranges;
  for (Row row = 0; depth > 0 && row < row_count(r); ++row) {
    const auto label = labels_.find(r.name[row]);
    if (label != labels_.end() && label->second == found && facts_.judged_on_host(r.start[row])) ++place.calls;
  }
  return place;
}

std::string Places::most_in_words() const {
  const Place place = most();
  if (!place.name.empty()) return fmt::format("In {}", place.name);
  return weights_.empty() ? "Outside any range" : "In several ranges";
}

}  // namespace sonde
