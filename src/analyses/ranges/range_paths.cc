#include "analyses/ranges/range_paths.h"

#include <algorithm>
#include <ranges>
#include <string>
#include <utility>

#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include "analyses/ranges/range_label.h"
#include "analyses/steps/warm_up.h"
#include "trace/columns.h"

namespace sonde {
namespace {

struct PathLabel {
  uint32_t label = kNone;
  uint32_t place = kNone;
};

/// Numbers for (domain, name) as texts, since two traces have two pools.
class Labels {
 public:
  PathLabel of(std::string_view domain, std::string_view name) {
    return {number("=", domain, name), number("~", domain, without_numbers(name))};
  }

 private:
  uint32_t number(std::string_view kind, std::string_view domain, std::string_view name) {
    std::string key(kind);
    key.append(domain).append(1, '\0').append(name);
    return numbers_.try_emplace(std::move(key), static_cast<uint32_t>(numbers_.size())).first->second;
  }
  boost::unordered_flat_map<std::string, uint32_t> numbers_;
};

/// The labels of one recording's ranges, each name looked at once.
class NamedLabels {
 public:
  NamedLabels(const Trace& trace, Labels& labels) : trace_(trace), labels_(labels) {}

  const PathLabel& of(NameId domain, NameId name) {
    const auto [found, fresh] = known_.try_emplace(std::pair(domain, name));
    if (fresh) {
      found->second = labels_.of(trace_.name(domain), trace_.name(name));
      places_.push_back(found->second.place);
    }
    return found->second;
  }
  /// The places met so far, sorted.
  [[nodiscard]] Ids places() {
    std::ranges::sort(places_);
    return places_;
  }

 private:
  const Trace& trace_;
  Labels& labels_;
  boost::unordered_flat_map<std::pair<NameId, NameId>, PathLabel> known_;
  Ids places_;
};

/// Rows of `range_links` in the order of the names of their domains: the same in both recordings.
std::vector<const DomainLinks*> links_by_domain(const Trace& trace) {
  std::vector<const DomainLinks*> links;
  for (const DomainLinks& domain : trace.range_links) links.push_back(&domain);
  std::ranges::stable_sort(links, {}, [&](const DomainLinks* d) { return trace.name(trace.domains[d->domain].name); });
  return links;
}

/// The open push/pop ranges of the launching thread, or all where the report does not name that thread.
std::vector<OpenRange> open_ranges(const Trace& reports, const KernelProfile& profile) {
  std::vector<OpenRange> ranges;
  std::ranges::copy_if(profile.ranges, std::back_inserter(ranges),
                       [](const OpenRange& r) { return r.style == RangeStyle::push_pop; });
  const auto elsewhere = [&](const OpenRange& r) { return static_cast<int64_t>(r.thread) != profile.thread; };
  if (!std::ranges::all_of(ranges, elsewhere)) std::erase_if(ranges, elsewhere);
  std::ranges::stable_sort(ranges, {}, [&](const OpenRange& r) { return reports.name(r.domain); });
  return ranges;
}

class Builder {
 public:
  Builder(const Trace& timeline, const Trace& reports)
      : timeline_(timeline), reports_(reports), of_timeline_(timeline, labels_), of_reports_(reports, labels_) {}

  RangePaths build() {
    find_common();
    add_launches();
    for (const KernelProfile& profile : reports_.kernel_profiles) {
      RangePath path;
      for (const OpenRange& r : open_ranges(reports_, profile)) append(path, of_reports_.of(r.domain, r.name));
      result_.of_profile.push_back(path_id(std::move(path)));
    }
    return std::move(result_);
  }

 private:
  void find_common() {
    for (Row row = 0; row < row_count(timeline_.ranges); ++row) {
      if (is_push_pop(timeline_.ranges, row)) label_of(row);
    }
    for (const KernelProfile& profile : reports_.kernel_profiles) {
      for (const OpenRange& r : open_ranges(reports_, profile)) of_reports_.of(r.domain, r.name);
    }
    std::ranges::set_intersection(of_timeline_.places(), of_reports_.places(), std::back_inserter(common_));
  }

  const PathLabel& label_of(Row range) {
    const RangeLabel label = label_of_range(timeline_, range);
    return of_timeline_.of(label.domain, label.text);
  }

  void append(RangePath& path, const PathLabel& label) const {
    if (!std::ranges::binary_search(common_, label.place)) return;
    path.labels.push_back(label.label);
    path.places.push_back(label.place);
  }

  /// Launches from within the same ranges share a path, which is made once.
  void add_launches() {
    const auto links = links_by_domain(timeline_);
    const Ids& calls = timeline_.kernels.launch;
    boost::unordered_flat_map<Ids, uint32_t, boost::hash<Ids>> known;
    Ids innermost(links.size(), kNone);
    for (Row row = 0; row < row_count(timeline_.kernels); ++row) {
      const Row call = calls[row];
      for (size_t d = 0; d < links.size(); ++d) innermost[d] = call == kNone ? kNone : links[d]->of_api[call];
      const auto [found, fresh] = known.try_emplace(innermost, kNone);
      if (fresh) found->second = path_id(path_of(innermost));
      result_.of_launch.push_back(found->second);
    }
  }

  RangePath path_of(const Ids& innermost) {
    RangePath path;
    for (const Row last : innermost) {
      Ids rows;
      for (Row row = last; row != kNone; row = timeline_.ranges.parent[row]) rows.push_back(row);
      for (const Row row : rows | std::views::reverse) append(path, label_of(row));
    }
    return path;
  }

  uint32_t path_id(RangePath path) {
    const auto [found, fresh] = ids_.try_emplace(path.labels, static_cast<uint32_t>(result_.paths.size()));
    if (fresh) result_.paths.push_back(std::move(path));
    return found->second;
  }

  const Trace& timeline_;
  const Trace& reports_;
  Labels labels_;
  NamedLabels of_timeline_;
  NamedLabels of_reports_;
  Ids common_;  ///< places that both recordings have, sorted
  boost::unordered_flat_map<Ids, uint32_t, boost::hash<Ids>> ids_;
  RangePaths result_;
};

}  // namespace

RangePaths range_paths(const Trace& timeline, const Trace& reports) { return Builder(timeline, reports).build(); }

}  // namespace sonde
