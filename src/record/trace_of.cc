#include "record/trace_of.h"

#include <algorithm>

#include "record/cuda/cuda_rows.h"
#include "record/nccl/nccl_rows.h"
#include "record/text.h"
#include "record/thread_events.h"

namespace sonde::record {
namespace {

void put_rank(Process& process, const wire::ProcessRankBody& rank) {
  const auto known = [](int32_t value) { return value < 0 ? std::nullopt : std::optional<int>(value); };
  process.job_rank = rank.rank;
  process.job_ranks = known(rank.ranks);
  process.local_rank = known(rank.local_rank);
}

/// A process for each, under the name of its last image: what a shell ran in its own place is what people look for.
void add_processes(Trace& trace, const Images& images, Tally& tally) {
  for (const Image& image : images.all()) {
    if (trace.processes.empty() || trace.processes.back().pid != image.process) {
      trace.processes.push_back({.global_id = global_id(image.process, 0), .pid = image.process});
    }
    Process& process = trace.processes.back();
    if (!image.name.empty()) process.name = intern_text(trace, image.name);
    if (image.event_cost_ns > 0) process.event_cost_ns = image.event_cost_ns;
    if (image.rank) put_rank(process, *image.rank);
  }
  tally.images = static_cast<int64_t>(images.all().size());
  tally.processes = static_cast<int64_t>(trace.processes.size());
}

ProcessId process_row(const Trace& trace, uint32_t process) {
  const auto found = std::ranges::lower_bound(trace.processes, int64_t{process}, {}, &Process::pid);
  return static_cast<ProcessId>(found - trace.processes.begin());
}

ThreadId add_thread(Trace& trace, const Definitions& definitions, uint32_t pid, uint32_t tid) {
  const ProcessId process = process_row(trace, pid);
  NameId name = definitions.thread(pid, tid);
  if (name == kNone && pid == tid) name = trace.processes[process].name;
  trace.threads.push_back(
      {.process = process, .global_id = global_id(pid, tid), .tid = tid, .name = name, .priority = {}});
  return static_cast<ThreadId>(trace.threads.size() - 1);
}

/// The rows of threads, those that wrote nothing themselves too: another tells what they called.
class ThreadRows {
 public:
  ThreadRows(Trace& trace, const Definitions& definitions) : trace_(trace), definitions_(definitions) {
    for (ThreadId row = 0; row < trace.threads.size(); ++row) rows_[trace.threads[row].global_id] = row;
  }
  ThreadId operator()(uint32_t process, uint32_t thread) {
    const auto [place, fresh] = rows_.try_emplace(global_id(process, thread));
    if (fresh) place->second = add_thread(trace_, definitions_, process, thread);
    return place->second;
  }

 private:
  Trace& trace_;
  const Definitions& definitions_;
  boost::unordered_flat_map<uint64_t, ThreadId> rows_;
};

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

Tally fill_trace(Trace& trace, const Slices& slices, Symbolizer& symbolizer, const Extent& extent,
                 const PartTaker& take, const MeasureRequest& request, size_t part_rows) {
  Tally tally;
  tally.unread_bytes = static_cast<int64_t>(slices.unread_bytes);
  const Images images(slices);
  symbolizer.add(images);
  const Definitions definitions(trace, slices, images);
  add_processes(trace, images, tally);
  KernelProfiles kernels(trace, request);
  ThreadEvents events(trace, definitions, images, extent.begin_ns, tally, kernels);
  CudaObjects cuda_objects(trace, slices);
  CudaRows cuda(trace, images, cuda_objects, symbolizer, extent,
                [&](uint32_t process) { return process_row(trace, process); });
  NcclRows nccl(trace, definitions, images, extent);
  LettingGo letting_go(slices.let_go);
  const Slice* before = nullptr;
  size_t kept = 0;
  for (const Slice& slice : slices.all) {
    const bool same = before != nullptr && before->process == slice.process && before->thread == slice.thread;
    if (!same) events.begin_thread(add_thread(trace, definitions, slice.process, slice.thread), slice.process);
    before = &slice;
    wire::Reader reader(slice.records);
    wire::Record record;
    while (reader.next(record)) {
      cuda.add(record, {slice.process, slice.thread});
      nccl.add(record, slice.process, slice.thread);
      if (!extent.holds(record)) continue;
      ++tally.records;
      tally.last_ns = std::max(tally.last_ns, written_at(record));
      events.add(record);
    }
    tally.unread_bytes += static_cast<int64_t>(reader.left());
    letting_go.has_read(slice);
    if (event_rows(trace) < kept + part_rows && !events.has_many_payloads()) continue;
    events.hand_over(take);
    kept = event_rows(trace);
  }
  events.finish(take);
  ThreadRows thread_rows(trace, definitions);
  definitions.hand_over(std::ref(thread_rows), extent.begin_ns);
  cuda.finish(slices, std::ref(thread_rows), take);
  tally.cuda = cuda.tally();
  nccl.finish([&](uint32_t process) { return process_row(trace, process); }, std::ref(thread_rows), take);
  tally.nccl = nccl.tally();
  kernels.finish();
  tally.measured = kernels.tally();
  tally.threads = static_cast<int64_t>(trace.threads.size());
  tally.event_cost_ns = median_cost(images);
  return tally;
}

}  // namespace sonde::record
