#include "record/nccl/nccl_rows.h"

#include <algorithm>

#include "record/rounds/body.h"
#include "record/text.h"
#include "trace/columns.h"

namespace sonde::record {
namespace {

NcclKind kind_of(wire::NcclEvent type) {
  switch (type) {
    case wire::NcclEvent::point_to_point: return NcclKind::point_to_point;
    case wire::NcclEvent::copy_collective: return NcclKind::copy_collective;
    default: return NcclKind::collective;
  }
}

std::optional<int> known(int32_t value, bool is_known) { return is_known ? std::optional<int>(value) : std::nullopt; }

int64_t bits(uint64_t value) { return static_cast<int64_t>(value); }

}  // namespace

void NcclRows::add(const wire::Record& record, uint32_t process, uint32_t thread) {
  if (!wire::is_nccl_record(record.head.kind)) return;
  const uint32_t image = images_.at(process, record.head.time);
  if (record.head.kind == wire::Kind::nccl_communicator) return add_communicator(record, image, process);
  if (record.head.kind == wire::Kind::nccl_stop) {
    const auto stop = body_of<wire::NcclStopBody>(record);
    stops_.try_emplace({image, stop.event}, Stop{record.head.time, stop.gpu_ns});
    return;
  }
  if (!extent_.holds(record)) return;
  const Start start{image, process, thread, record.head.time, body_of<wire::NcclStartBody>(record)};
  switch (start.body.type) {
    case wire::NcclEvent::collective:
    case wire::NcclEvent::point_to_point:
    case wire::NcclEvent::copy_collective: return operations_.push_back(start);
    case wire::NcclEvent::kernel_channel: return channels_.push_back(start);
    case wire::NcclEvent::kernel_launch: return launches_.push_back(start);
  }
}

/// Its process has no row yet.
void NcclRows::add_communicator(const wire::Record& record, uint32_t image, uint32_t process) {
  const auto body = body_of<wire::NcclCommunicatorBody>(record);
  const auto [place, fresh] =
      communicators_.try_emplace({image, body.communicator}, static_cast<uint32_t>(trace_.communicators.size()));
  if (!fresh) return;
  trace_.communicators.push_back({.process = process,
                                  .id = bits(body.communicator),
                                  .hash = bits(body.hash),
                                  .name = record.text.empty() ? kNone : intern_text(trace_, record.text),
                                  .ranks = known(body.ranks, body.ranks > 0),
                                  .rank = known(body.rank, body.ranks > 0),
                                  .nodes = known(body.nodes, body.nodes > 0),
                                  .interface = body.interface});
  tally_.interface = std::max<int64_t>(tally_.interface, body.interface);
}

/// One whose own record was lost is known by its operations. Versions 1 to 3 of the interface tell the hash, the name
/// and the rank with each operation.
uint32_t NcclRows::communicator_row(const Start& start, const std::function<ProcessId(uint32_t)>& process_row) {
  const auto [place, fresh] = communicators_.try_emplace({start.image, start.body.communicator},
                                                         static_cast<uint32_t>(trace_.communicators.size()));
  if (fresh) {
    Communicator& added = trace_.communicators.emplace_back();
    added.process = process_row(start.process);
    added.id = bits(start.body.communicator);
  }
  Communicator& communicator = trace_.communicators[place->second];
  if (communicator.hash == 0) communicator.hash = bits(start.body.hash);
  if (communicator.name == kNone) communicator.name = text(start.image, start.body.name);
  if (!communicator.rank) communicator.rank = start.body.rank;
  return place->second;
}

const NcclRows::Stop* NcclRows::stop_of(const Start& start) const {
  const auto found = stops_.find({start.image, start.body.event});
  return found == stops_.end() ? nullptr : &found->second;
}

/// Version 3 of the interface tells only when the host saw a channel begin and end.
void NcclRows::time_channels() {
  for (const Start& channel : channels_) {
    const Stop* const stop = stop_of(channel);
    if (stop == nullptr) continue;
    const bool by_gpu = channel.body.gpu_ns != 0 && stop->gpu_ns != 0;
    const int64_t first = by_gpu ? bits(channel.body.gpu_ns) : time(channel.time);
    const int64_t last = by_gpu ? bits(stop->gpu_ns) : time(stop->time);
    if (time_between(first, last) == kUnknown) continue;
    const auto [place, fresh] = gpu_times_.try_emplace({channel.image, channel.body.parent}, GpuTime{first, last, 0});
    GpuTime& whole = place->second;
    whole.first = std::min(whole.first, first);
    whole.last = std::max(whole.last, last);
    ++whole.channels;
  }
  channels_.clear();
}

void NcclRows::collect_launches() {
  for (const Start& launch : launches_) {
    const Stop* const stop = stop_of(launch);
    if (stop == nullptr || stop->time < launch.time) continue;
    launches_of_[{launch.image, launch.thread}].push_back({launch.time, stop->time, launch.body.communicator, 0});
  }
  launches_.clear();
  for (auto& [thread, launches] : launches_of_) std::ranges::sort(launches, {}, &Launch::start);
}

/// NCCL tells of a kernel's operations on the thread that launched it, after the launch and before the communicator's
/// next one; those of a CUDA graph on a thread that launches nothing.
NcclRows::Launch* NcclRows::launch_of(const Start& operation) {
  const auto of_thread = launches_of_.find({operation.image, operation.thread});
  if (of_thread == launches_of_.end() || operation.body.group == 0) return nullptr;
  std::vector<Launch>& launches = of_thread->second;
  auto next = std::ranges::upper_bound(launches, operation.time, {}, &Launch::start);
  while (next != launches.begin()) {
    Launch& launch = *--next;
    if (launch.communicator != operation.body.communicator) continue;
    if (launch.group == 0) launch.group = operation.body.group;
    return launch.group == operation.body.group ? &launch : nullptr;
  }
  return nullptr;
}

void NcclRows::append_operation(const Start& operation, uint32_t communicator, ThreadId thread) {
  const wire::NcclStartBody& body = operation.body;
  const Stop* const stop = stop_of(operation);
  const Launch* const launch = launch_of(operation);
  const auto gpu = gpu_times_.find({operation.image, body.event});
  const bool timed = gpu != gpu_times_.end();
  NcclOperations& o = trace_.nccl_operations;
  o.start.push_back(time(operation.time));
  o.end.push_back(stop == nullptr ? kUnknown : time(stop->time));
  o.thread.push_back(thread);
  o.communicator.push_back(communicator);
  o.kind.push_back(static_cast<uint8_t>(kind_of(body.type)));
  o.function.push_back(text(operation.image, body.function));
  o.datatype.push_back(text(operation.image, body.datatype));
  o.algorithm.push_back(text(operation.image, body.algorithm));
  o.protocol.push_back(text(operation.image, body.protocol));
  o.count.push_back(bits(body.count));
  o.channels.push_back(body.channels == 0 ? kUnknown32 : body.channels);
  o.warps.push_back(body.warps == 0 ? kUnknown32 : body.warps);
  o.peer.push_back(body.peer);
  o.sequence.push_back(body.type == wire::NcclEvent::point_to_point ? kUnknown : bits(body.sequence));
  o.group.push_back(body.group == 0 ? kUnknown : bits(body.group));
  o.captured.push_back((body.flags & wire::kNcclCaptured) != 0 ? 1 : 0);
  o.launch_before.push_back(launch == nullptr ? kUnknown : operation.time - launch->start);
  o.launch_duration.push_back(launch == nullptr ? kUnknown : launch->end - launch->start);
  o.gpu_start.push_back(timed ? gpu->second.first : kUnknown);
  o.gpu_end.push_back(timed ? gpu->second.last : kUnknown);
  o.gpu_channels.push_back(timed ? gpu->second.channels : kUnknown32);
  ++tally_.operations;
  if (stop == nullptr) ++tally_.without_end;
}

void NcclRows::finish(const std::function<ProcessId(uint32_t)>& process_row,
                      const std::function<ThreadId(uint32_t, uint32_t)>& thread_row, const PartTaker& take) {
  for (Communicator& communicator : trace_.communicators) communicator.process = process_row(communicator.process);
  time_channels();
  collect_launches();
  std::ranges::stable_sort(operations_, {}, &Start::time);
  for (const Start& operation : operations_) {
    append_operation(operation, communicator_row(operation, process_row),
                     thread_row(operation.process, operation.thread));
    if (event_rows(trace_) >= kPartRows) give_part(trace_, take);
  }
  tally_.communicators = static_cast<int64_t>(trace_.communicators.size());
  if (!operations_.empty()) give_part(trace_, take);
}

}  // namespace sonde::record
