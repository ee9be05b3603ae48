#include "importers/pytorch/entities.h"

#include <algorithm>

#include "base/text/decimal.h"

namespace sonde::pytorch {
namespace {

NameId text_of(Number n) { return is_text(n) ? static_cast<NameId>(n - kTextPid) : kNone; }

/// The number in a text such as "thread 1234 (python)"; 0 where there is none.
int64_t number_in(std::string_view text) {
  const size_t begin = std::min(text.find_first_of("0123456789"), text.size());
  const size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
  return integer_of<int64_t>(text.substr(begin, end - begin)).value_or(0);
}

std::string_view domain_name(DomainKind kind) {
  switch (kind) {
    case DomainKind::op: return "torch.operator";
    case DomainKind::module: return "torch.module";
    case DomainKind::python: return "torch.python";
    default: return "";
  }
}

uint32_t id_of(int64_t number) { return number < 0 || number > kNone ? kNone : static_cast<uint32_t>(number); }

}  // namespace

Entities::Entities(Trace& trace, RankId rank) : trace_(trace), rank_(rank) {
  for (size_t i = 0; i < trace.devices.size(); ++i) {
    if (trace.devices[i].rank != rank) continue;
    devices_.emplace(trace.devices[i].id, static_cast<DeviceId>(i));
    described_.insert(trace.devices[i].id);
  }
}

/// Ids are built as Nsight builds them (pid << 24 | tid), so that an export reads alike; tids of more than 24 bits can
/// meet, and then bits that Nsight keeps for virtual machines tell them apart.
uint64_t Entities::unique(uint64_t wish) {
  constexpr uint64_t kNextMachine = uint64_t{1} << 48;
  while (!ids_in_use_.insert(wish).second) wish += kNextMachine;
  return wish;
}

ProcessId Entities::process(Number pid) {
  const auto [at, fresh] = processes_.try_emplace(pid, static_cast<ProcessId>(trace_.processes.size()));
  if (fresh) {
    const int64_t number = is_text(pid) ? number_in(trace_.name(text_of(pid))) : pid;
    trace_.processes.push_back({rank_, unique((static_cast<uint64_t>(number) & 0xFFFFFF) << 24), number, text_of(pid)});
  }
  return at->second;
}

ThreadId Entities::thread(ThreadKey key) {
  const auto [at, fresh] = threads_.try_emplace(key, static_cast<ThreadId>(trace_.threads.size()));
  if (!fresh) return at->second;
  const ThreadId id = at->second;
  const auto [pid, tid] = key;
  Thread thread;
  thread.process = process(pid);
  thread.tid = is_text(tid) ? number_in(trace_.name(text_of(tid))) : tid;
  thread.name = text_of(tid);
  const auto process_bits = static_cast<uint64_t>(trace_.processes[thread.process].pid) & 0xFFFFFF;
  thread.global_id = unique((process_bits << 24) | (static_cast<uint64_t>(thread.tid) & 0xFFFFFF));
  trace_.threads.push_back(thread);
  return id;
}

DeviceId Entities::device(int64_t number) {
  const auto [at, fresh] = devices_.try_emplace(number, static_cast<DeviceId>(trace_.devices.size()));
  if (fresh) {
    Device device;
    device.rank = rank_;
    device.id = number;
    device.cuda_ordinal = number;
    trace_.devices.push_back(std::move(device));
  }
  return at->second;
}

StreamId Entities::stream(ProcessId process, const StreamKey& key) {
  const auto [at, fresh] = streams_.try_emplace({process, key}, static_cast<StreamId>(trace_.streams.size()));
  if (!fresh) return at->second;
  const StreamId id = at->second;
  Stream stream;
  stream.process = process;
  stream.ordinal = static_cast<int32_t>(key.device);
  stream.device = device(key.device);
  stream.context = id_of(key.context);
  stream.stream = id_of(key.stream);
  trace_.streams.push_back(stream);
  return id;
}

int64_t Entities::streams_on_unknown_devices() const {
  return std::ranges::count_if(streams_, [&](const auto& entry) {
    const StreamKey& key = entry.first.second;
    return id_of(key.stream) != kNone && !described_.contains(key.device);
  });
}

DomainId Entities::domain(DomainKind kind) {
  const NameId name = trace_.names.intern(domain_name(kind));
  for (size_t i = 0; i < trace_.domains.size(); ++i) {
    if (trace_.domains[i].kind == kind && trace_.domains[i].name == name) return static_cast<DomainId>(i);
  }
  trace_.domains.push_back({name, kind});
  return static_cast<DomainId>(trace_.domains.size() - 1);
}

void Entities::name_process(Number pid, NameId name) {
  const auto at = processes_.find(pid);
  if (at == processes_.end()) return;
  NameId& current = trace_.processes[at->second].name;
  if (current == kNone) current = name;
}

void Entities::name_thread(ThreadKey key, NameId name) {
  const auto at = threads_.find(key);
  if (at == threads_.end()) return;
  NameId& current = trace_.threads[at->second].name;
  if (current == kNone || is_text(key.second)) current = name;
}

void Entities::set_priority(const StreamKey& key, int priority) {
  for (const auto& [owner, stream] : streams_) {
    if (owner.second == key) trace_.streams[stream].priority = priority;
  }
}

}  // namespace sonde::pytorch
