#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "analyses/ranges/range_label.h"
#include "analyses/ranges/range_work.h"
#include "analyses/timeline/track_builder.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// What push/pop ranges launched on one GPU, those inside them among them; of ranges without any, 0 operations.
struct WorkOnGpu {
  explicit WorkOnGpu(size_t ranges)
      : ops(ranges, 0),
        first_start(ranges, std::numeric_limits<int64_t>::max()),
        last_end(ranges, std::numeric_limits<int64_t>::min()) {}

  void add(Row range, uint32_t more, int64_t start, int64_t end) {
    ops[range] += more;
    first_start[range] = std::min(first_start[range], start);
    last_end[range] = std::max(last_end[range], end);
  }

  std::vector<uint32_t> ops;
  Times first_start;
  Times last_end;
};

WorkOnGpu work_on(const TimelineSource& source, uint32_t gpu) {
  const Trace& trace = source.trace;
  WorkOnGpu work(row_count(trace.ranges));
  for_each_launched(trace, [&](const GpuOps& ops, Row row) {
    if (source.gpus.of_stream[ops.stream[row]] != gpu) return;
    for (const DomainLinks& domain : trace.range_links) {
      const Row range = domain.of_api[ops.launch[row]];
      if (range != kNone) work.add(range, 1, ops.start[row], ops.end[row]);
    }
  });
  fold_into_parents(trace.ranges.parent, [&](Row parent, Row child) {
    work.add(parent, work.ops[child], work.first_start[child], work.last_end[child]);
  });
  return work;
}

/// Ranges with work, by the start of the work; outer ones first.
std::vector<Row> ranges_with_work(const Ranges& r, const WorkOnGpu& work) {
  std::vector<Row> rows;
  for (Row row = 0; row < work.ops.size(); ++row) {
    if (work.ops[row] > 0 && is_closed(r, row)) rows.push_back(row);
  }
  std::ranges::stable_sort(rows, {}, [&](Row row) { return work.first_start[row]; });
  return rows;
}

std::string projection_label(const Trace& trace, DomainId domain) {
  const std::string_view name = domain < trace.domains.size() ? trace.name(trace.domains[domain].name) : "";
  return fmt::format("{} (projected)", name.empty() ? "NVTX" : name);
}

void add_projections(const TimelineSource& source, uint32_t gpu, Timeline& timeline) {
  const Ranges& r = source.trace.ranges;
  const WorkOnGpu work = work_on(source, gpu);
  std::map<DomainId, TrackBuilder> builders;
  std::vector<uint32_t> rows(row_count(r), 0);
  for (const Row row : ranges_with_work(r, work)) {
    auto found = builders.find(r.domain[row]);
    if (found == builders.end()) {
      const std::string label = projection_label(source.trace, r.domain[row]);
      found = builders
                  .try_emplace(r.domain[row], timeline,
                               gpu_track(source.trace, source.gpus, gpu, TrackKind::projection, label))
                  .first;
    }
    const Row parent = value_or_absent(r.parent, row);
    const bool inside = parent != kNone && is_closed(r, parent);
    rows[row] = found->second.add({work.first_start[row], work.last_end[row],
                                   found->second.name(source.trace, r.name[row], SliceCategory::range)},
                                  inside ? rows[parent] + 1 : 0);
  }
  for (auto& [domain, builder] : builders) timeline.tracks.push_back(std::move(builder).finish());
}

}  // namespace

/// Push/pop ranges where their work ran: on each GPU from the start of the first operation that a range launched there
/// to the end of the last.
void add_projection_tracks(const TimelineSource& source, Timeline& timeline) {
  if (source.trace.range_links.empty()) return;
  for (uint32_t gpu = 0; gpu < source.gpus.gpus.size(); ++gpu) add_projections(source, gpu, timeline);
}

}  // namespace sonde
