#pragma once

#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "importers/pytorch/rows.h"
#include "trace/trace.h"

namespace sonde::pytorch {

/// The processes, threads, devices and streams of one rank, made in the trace when they are first asked for.
/// pids and tids that are texts are kTextPid + NameId here.
class Entities {
 public:
  Entities(Trace& trace, RankId rank);

  [[nodiscard]] ProcessId process(Number pid);
  [[nodiscard]] ThreadId thread(ThreadKey key);
  [[nodiscard]] StreamId stream(ProcessId process, const StreamKey& key);
  [[nodiscard]] DomainId domain(DomainKind kind);

  /// Names what is there; the first name counts.
  void name_process(Number pid, NameId name);
  void name_thread(ThreadKey key, NameId name);
  void set_priority(const StreamKey& key, int priority);

  /// Streams of devices that the file does not describe.
  [[nodiscard]] int64_t streams_on_unknown_devices() const;

 private:
  [[nodiscard]] DeviceId device(int64_t number);
  [[nodiscard]] uint64_t unique(uint64_t wish);

  Trace& trace_;
  RankId rank_;
  boost::unordered_flat_map<Number, ProcessId> processes_;
  boost::unordered_flat_map<ThreadKey, ThreadId> threads_;
  boost::unordered_flat_map<int64_t, DeviceId> devices_;
  boost::unordered_flat_set<int64_t> described_;
  boost::unordered_flat_map<std::pair<ProcessId, StreamKey>, StreamId> streams_;
  boost::unordered_flat_set<uint64_t> ids_in_use_;
};

}  // namespace sonde::pytorch
