#include <functional>

#include <fmt/format.h>

#include "analyses/calls/api_label.h"
#include "analyses/calls/call_chain_text.h"
#include "analyses/calls/os_call_kind.h"
#include "analyses/timeline/track_builder.h"
#include "trace/columns.h"
#include "trace/rows_by_thread.h"

namespace sonde {
namespace {

SliceCategory category_of(ApiKind kind) {
  switch (kind) {
    case ApiKind::launch: return SliceCategory::launch;
    case ApiKind::copy_async:
    case ApiKind::copy_blocking: return SliceCategory::transfer;
    case ApiKind::synchronize: return SliceCategory::wait;
    case ApiKind::allocate: return SliceCategory::memory;
    default: return SliceCategory::call;
  }
}

/// Calls of one table, thread by thread.
struct CallTable {
  const Calls& calls;
  TrackKind kind;
  std::string_view label;
  std::function<SliceCategory(Row)> category;
  bool launches = false;  ///< its rows are what GPU operations name as their call
};

/// What a call returned where it failed, and who called it.
uint32_t detail_of(const Trace& trace, TrackBuilder& builder, const Calls& calls, Row row) {
  const int64_t result = calls.result.empty() || calls.result[row] == kUnknown ? 0 : calls.result[row];
  const ChainId chain = value_or_absent(calls.chain, row);
  if (result == 0 && chain >= trace.chains.size()) return kNone;
  return builder.detail(fmt::format("{} {}", result, chain), [&] {
    SliceDetail detail;
    if (result != 0) detail.emplace_back("returned", fmt::format("{}", result));
    if (chain < trace.chains.size()) detail.emplace_back("called by", call_chain_text(trace, chain));
    return detail;
  });
}

void add_calls(const TimelineSource& source, const CallTable& table, Timeline& timeline) {
  const Trace& trace = source.trace;
  const RowsByThread by_thread(table.calls.thread, trace.threads.size());
  for (ThreadId thread = 0; thread < trace.threads.size(); ++thread) {
    TrackBuilder builder(timeline, thread_track(trace, thread, table.kind, std::string(table.label)));
    for (const Row row : by_thread.rows_of(thread)) {
      const Calls& c = table.calls;
      builder.add({c.start[row], c.end[row], builder.name(trace, c.name[row], table.category(row)),
                   detail_of(trace, builder, c, row), table.launches ? row : kNone});
    }
    if (!builder.empty()) timeline.tracks.push_back(std::move(builder).finish());
  }
}

}  // namespace

/// Calls of host threads: CUDA, libraries, the operating system, and the profiler's own work.
void add_call_tracks(const TimelineSource& source, Timeline& timeline) {
  const Trace& trace = source.trace;
  const auto plain = [](Row) { return SliceCategory::call; };
  const auto api = [&](Row row) { return category_of(source.api_kinds[row]); };
  const std::vector<OsCallKind> os_kinds = os_call_kinds(trace);
  const auto os = [&](Row row) { return info_of(os_kinds[row]).waits ? SliceCategory::wait : SliceCategory::call; };
  const auto overhead = [](Row) { return SliceCategory::overhead; };
  add_calls(source, {trace.api, TrackKind::api, "CUDA API", api, true}, timeline);
  add_calls(source, {trace.library_calls, TrackKind::library, "Libraries", plain}, timeline);
  add_calls(source, {trace.os_calls, TrackKind::os, "OS runtime", os}, timeline);
  add_calls(source, {trace.overheads, TrackKind::overhead, "Profiler overhead", overhead}, timeline);
}

}  // namespace sonde
