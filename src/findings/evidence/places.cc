#include "findings/evidence/places.h"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include "trace/columns.h"

namespace sonde {

Places::Places(const Facts& facts)
    : facts_(facts),
      label_of_name_(facts.trace.names.size(), kNone),
      path_of_range_(row_count(facts.trace.ranges), kNone) {}

Places::Id Places::label_of(NameId name) {
  Id& label = label_of_name_[name];
  if (label != kNone) return label;
  const auto [known, fresh] =
      label_ids_.try_emplace(without_numbers(facts_.trace.name(name)), static_cast<Id>(labels_.size()));
  if (fresh) labels_.push_back(known->first);
  return label = known->second;
}

Places::Id Places::path_of(Row range) {
  const Ranges& r = facts_.trace.ranges;
  std::vector<Row> unknown;
  for (; range != kNone && path_of_range_[range] == kNone; range = r.parent[range]) unknown.push_back(range);
  Id path = range == kNone ? kNone : path_of_range_[range];
  for (const Row row : unknown | std::views::reverse) {
    const Path next{path, label_of(r.name[row])};
    const auto [known, fresh] = path_ids_.try_emplace({next.others, next.label}, static_cast<Id>(paths_.size()));
    if (fresh) paths_.push_back(next);
    path = path_of_range_[row] = known->second;
  }
  return path;
}

void Places::add(Row call, int64_t weight) {
  whole_ += weight;
  Id holder = kNone;
  for (const DomainLinks& links : facts_.trace.range_links) {
    if (facts_.trace.domains[links.domain].kind == DomainKind::python || links.of_api[call] == kNone) continue;
    const Holder next{holder, path_of(links.of_api[call])};
    const auto [known, fresh] = holder_ids_.try_emplace({next.others, next.path}, static_cast<Id>(holders_.size()));
    if (fresh) holders_.push_back(next);
    holder = known->second;
  }
  if (holder != kNone) holders_[holder].weight += weight;
}

/// Each label once, however often it is around the call, with the number of ranges around its outermost one.
std::vector<std::pair<Places::Id, int64_t>> Places::depths_of(Id holder) const {
  std::vector<std::pair<Id, int64_t>> depths;
  for (; holder != kNone; holder = holders_[holder].others) {
    std::vector<Id> labels;
    for (Id path = holders_[holder].path; path != kNone; path = paths_[path].others) {
      labels.push_back(paths_[path].label);
    }
    for (size_t i = labels.size(); i-- > 0;) {
      const auto depth = static_cast<int64_t>(labels.size() - i);
      const auto found = std::ranges::find(depths, labels[i], &std::pair<Id, int64_t>::first);
      if (found == depths.end()) depths.emplace_back(labels[i], depth);
    }
  }
  return depths;
}

Places::Place Places::most() const {
  struct Weight {
    int64_t weight = 0;
    int64_t depth = 0;
  };
  std::vector<Weight> weights(labels_.size());
  for (Id holder = 0; holder < holders_.size(); ++holder) {
    for (const auto& [label, depth] : depths_of(holder)) {
      weights[label].weight += holders_[holder].weight;
      if (holders_[holder].weight > 0) weights[label].depth = std::max(weights[label].depth, depth);
    }
  }
  Id found = kNone;
  for (Id label = 0; label < weights.size(); ++label) {
    const Weight& of_label = weights[label];
    if (of_label.depth == 0 || 4 * of_label.weight < 3 * whole_) continue;
    const bool deeper = found == kNone || of_label.depth > weights[found].depth ||
                        (of_label.depth == weights[found].depth && labels_[label] < labels_[found]);
    if (deeper) found = label;
  }
  if (found == kNone) return {};
  Place place{labels_[found], 0};
  const Ranges& r = facts_.trace.ranges;
  for (Row row = 0; row < row_count(r); ++row) {
    if (label_of_name_[r.name[row]] == found && facts_.judged_on_host(r.start[row])) ++place.calls;
  }
  return place;
}

std::string Places::most_in_words() const {
  const Place place = most();
  if (!place.name.empty()) return fmt::format("In {}", place.name);
  return holders_.empty() ? "Outside any range" : "In several ranges";
}

}  // namespace sonde
