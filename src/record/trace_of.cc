#include "record/trace_of.h"

#include <algorithm>

#include "record/text.h"
#include "record/thread_events.h"
#include "wire/definitions.h"
#include "wire/layout.h"

namespace sonde::record {
namespace {

/// Nsight's form of ids (see GlobalIds): machine 1, process, thread.
uint64_t global_id(uint32_t process, uint32_t thread) { return uint64_t{1} << 48U | uint64_t{process} << 24U | thread; }

/// A process for each, under the name of its last image: what a shell ran in its own place is what people look for.
void add_processes(Trace& trace, const Images& images, Tally& tally) {
  for (const Image& image : images.all()) {
    if (trace.processes.empty() || trace.processes.back().pid != image.process) {
      trace.processes.push_back({.global_id = global_id(image.process, 0), .pid = image.process});
    }
    if (!image.name.empty()) trace.processes.back().name = intern_text(trace, image.name);
  }
  tally.images = static_cast<int64_t>(images.all().size());
  tally.processes = static_cast<int64_t>(trace.processes.size());
}

ProcessId process_row(const Trace& trace, uint32_t process) {
  const auto found = std::ranges::lower_bound(trace.processes, int64_t{process}, {}, &Process::pid);
  return static_cast<ProcessId>(found - trace.processes.begin());
}

ThreadId add_thread(Trace& trace, const Definitions& definitions, const Slice& slice) {
  const ProcessId process = process_row(trace, slice.process);
  NameId name = definitions.thread(slice.process, slice.thread);
  if (name == kNone && slice.process == slice.thread) name = trace.processes[process].name;
  trace.threads.push_back({.process = process,
                           .global_id = global_id(slice.process, slice.thread),
                           .tid = slice.thread,
                           .name = name,
                           .priority = {}});
  return static_cast<ThreadId>(trace.threads.size() - 1);
}

uint32_t median_cost(const Images& images) {
  std::vector<uint32_t> costs;
  for (const Image& image : images.all()) {
    if (image.event_cost_ns > 0) costs.push_back(image.event_cost_ns);
  }
  if (costs.empty()) return 0;
  const auto middle = costs.begin() + static_cast<std::ptrdiff_t>(costs.size() / 2);
  std::ranges::nth_element(costs, middle);
  return *middle;
}

}  // namespace

bool Extent::holds(const wire::Record& record) const {
  if (wire::is_definition(record.head.kind)) return true;
  const uint32_t of = wire::wanted_by(record.head.kind);
  return record.head.time >= begin_ns && record.head.time <= end_ns && (of == 0 || (of & wanted) != 0);
}

Tally fill_trace(Trace& trace, const Slices& slices, const Extent& extent) {
  Tally tally;
  tally.unread_bytes = static_cast<int64_t>(slices.unread_bytes);
  const Images images(slices);
  const Definitions definitions(trace, slices, images);
  add_processes(trace, images, tally);
  ThreadEvents events(trace, definitions, images, extent.begin_ns, tally);
  const Slice* before = nullptr;
  for (const Slice& slice : slices.all) {
    const bool same = before != nullptr && before->process == slice.process && before->thread == slice.thread;
    if (!same) events.begin_thread(add_thread(trace, definitions, slice), slice.process);
    before = &slice;
    wire::Reader reader(slice.records);
    wire::Record record;
    while (reader.next(record)) {
      if (!extent.holds(record)) continue;
      ++tally.records;
      tally.last_ns = std::max(tally.last_ns, written_at(record));
      events.add(record);
    }
    tally.unread_bytes += static_cast<int64_t>(reader.left());
  }
  events.match_ends();
  tally.threads = static_cast<int64_t>(trace.threads.size());
  tally.ranges = static_cast<int64_t>(trace.ranges.start.size());
  tally.open_ranges = std::ranges::count(trace.ranges.end, kUnknown);
  tally.marks = static_cast<int64_t>(trace.marks.start.size());
  tally.os_calls = static_cast<int64_t>(trace.os_calls.start.size());
  tally.event_cost_ns = median_cost(images);
  return tally;
}

}  // namespace sonde::record
