#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analyses/ranges/range_label.h"
#include "analyses/timeline/track_builder.h"
#include "trace/columns.h"

namespace sonde {
namespace {

using TrackKey = std::tuple<ThreadId, DomainId, uint8_t>;  // and the style

std::string label_of(const Trace& trace, DomainId domain, uint8_t style) {
  const std::string_view name = domain < trace.domains.size() ? trace.name(trace.domains[domain].name) : "";
  const std::string text = name.empty() ? std::string("NVTX") : std::string(name);
  return style == static_cast<uint8_t>(RangeStyle::push_pop) ? text : text + ", start/end";
}

SliceDetail range_detail(const Trace& trace, Row row) {
  const NameId shapes = value_or_absent(trace.ranges.shapes, row);
  const uint32_t category = value_or_absent(trace.ranges.category, row);
  SliceDetail detail;
  if (shapes != kNone) detail.emplace_back("input shapes", trace.name(shapes));
  if (category != kNone) detail.emplace_back("category", fmt::format("{}", category));
  return detail;
}

}  // namespace

/// The ranges of each thread, a track a domain; each range lies below the one around it.
void add_range_tracks(const TimelineSource& source, Timeline& timeline) {
  const Ranges& r = source.trace.ranges;
  std::map<TrackKey, TrackBuilder> builders;
  std::vector<uint32_t> rows(row_count(r), 0);
  for (Row row = 0; row < row_count(r); ++row) {
    if (r.thread[row] >= source.trace.threads.size()) continue;
    const TrackKey key{r.thread[row], r.domain[row], r.style[row]};
    auto found = builders.find(key);
    if (found == builders.end()) {
      found = builders
                  .try_emplace(key, timeline,
                               thread_track(source.trace, r.thread[row], TrackKind::range,
                                            label_of(source.trace, r.domain[row], r.style[row])))
                  .first;
    }
    TrackBuilder& builder = found->second;
    const Row parent = value_or_absent(r.parent, row);
    const std::array<uint32_t, 2> about = {value_or_absent(r.shapes, row), value_or_absent(r.category, row)};
    const std::string_view bytes(reinterpret_cast<const char*>(about.data()),  // NOLINT(*-reinterpret-cast)
                                 sizeof(about));
    rows[row] = builder.add({r.start[row], is_closed(r, row) ? r.end[row] : source.extent.second,
                             builder.name(source.trace, r.name[row], SliceCategory::range),
                             builder.detail(bytes, [&] { return range_detail(source.trace, row); })},
                            parent == kNone ? 0 : rows[parent] + 1);
  }
  for (auto& [key, builder] : builders) timeline.tracks.push_back(std::move(builder).finish());
}

}  // namespace sonde
