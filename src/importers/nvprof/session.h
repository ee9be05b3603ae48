#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "importers/nsys_sqlite/file.h"

/// A database of nvprof or the NVIDIA Visual Profiler while it is read. Its tables are CUPTI's activity records, one
/// column a member (cupti_activity.h); names are ids of the table StringTable.
namespace sonde::nvprof {

/// "-- null --" in StringTable.
inline constexpr uint32_t kNoText = 0;

/// What CUPTI's records leave out: rows of GPU work name no process, and a thread's number has 32 bits, of which the
/// lowest 24 are alike for many threads.
struct Session {
  uint64_t process = 0;                                     ///< that did the GPU work, as a global id
  std::map<int64_t, int32_t> device_of_context;             ///< by context id
  std::map<std::pair<int64_t, int64_t>, uint64_t> threads;  ///< (process id, thread id) -> global id

  /// The global id of a thread; a new one for a thread that was not met yet.
  uint64_t thread(int64_t process_id, int64_t thread_id);
  [[nodiscard]] uint64_t known_thread(int64_t process_id, int64_t thread_id) const;
};

[[nodiscard]] Session read_session(NsysFile& file);

/// CUPTI's object that a marker or an overhead belongs to: a packed union of numbers of 32 bits, process and thread
/// first.
struct Object {
  int64_t process = -1;
  int64_t thread = -1;  ///< -1: the process as a whole
};
/// -1 and -1 for a device, context or stream.
[[nodiscard]] Object object_of(int64_t object_kind, std::string_view packed);

/// The id of a text, kNone for none.
[[nodiscard]] uint32_t text_id(auto& row, Cell cell) {
  const uint32_t id = row.string_id(cell);
  return id == kNoText ? kNone : id;
}

void read_gpu_work(NsysFile& file, const Session& session);
void read_unified_memory(NsysFile& file, const Session& session);
void read_calls(NsysFile& file, const Session& session);
void read_overheads(NsysFile& file, Session& session);
void read_markers(NsysFile& file, Session& session);
/// After all events: devices, contexts, streams and names of processes.
void read_entities(NsysFile& file, const Session& session);

}  // namespace sonde::nvprof
