#include "findings/evidence/event_waits.h"

#include <algorithm>
#include <unordered_map>

#include "trace/columns.h"

namespace sonde {
namespace {

using Event = std::pair<ProcessId, uint32_t>;
/// When the recording of an event was called for, and on which stream.
using Recordings = std::map<Event, std::map<int64_t, StreamId>>;

Recordings recordings_of(const Trace& trace) {
  const CudaEvents& events = trace.cuda_events;
  std::unordered_map<uint64_t, Row> of_call;  // by process and correlation id
  const auto key = [](ProcessId process, uint32_t correlation) { return uint64_t{process} << 32U | correlation; };
  for (Row row = 0; row < events.correlation.size(); ++row) {
    const StreamId stream = events.stream[row];
    if (stream != kNone) of_call[key(trace.streams[stream].process, events.correlation[row])] = row;
  }
  Recordings recordings;
  const Calls& api = trace.api;
  for (Row row = 0; !of_call.empty() && row < api.correlation.size(); ++row) {
    if (api.thread[row] == kNone) continue;
    const ProcessId process = trace.threads[api.thread[row]].process;
    const auto found = of_call.find(key(process, api.correlation[row]));
    if (found == of_call.end()) continue;
    recordings[{process, events.event[found->second]}][api.start[row]] = events.stream[found->second];
  }
  return recordings;
}

StreamId last_recorded(const Recordings& recordings, const Event& event, int64_t before) {
  const auto found = recordings.find(event);
  if (found == recordings.end()) return kNone;
  const auto next = found->second.lower_bound(before);
  return next == found->second.begin() ? kNone : std::prev(next)->second;
}

}  // namespace

EventWaits::EventWaits(const Trace& trace) {
  const Syncs& syncs = trace.syncs;
  const Recordings recordings = recordings_of(trace);
  for (Row row = 0; row < row_count(syncs) && !syncs.launch.empty(); ++row) {
    const StreamId stream = syncs.stream[row];
    const bool waits = syncs.kind[row] == static_cast<uint8_t>(SyncKind::stream_waits_event);
    if (!waits || stream == kNone || syncs.launch[row] == kNone) continue;
    const int64_t called = trace.api.start[syncs.launch[row]];
    const Event event{trace.streams[stream].process, syncs.event[row]};
    waits_[stream].push_back({called, last_recorded(recordings, event, called)});
  }
  for (auto& [stream, waits] : waits_) std::ranges::stable_sort(waits, {}, &Wait::called);
}

std::vector<EventWaits::Wait> EventWaits::on(StreamId stream, int64_t from, int64_t to) const {
  const auto found = waits_.find(stream);
  if (found == waits_.end()) return {};
  const auto first = std::ranges::lower_bound(found->second, from, {}, &Wait::called);
  const auto last = std::ranges::lower_bound(found->second, to, {}, &Wait::called);
  return {first, std::max(first, last)};
}

}  // namespace sonde
