#include "importers/nvprof/session.h"

#include <cstring>

/// Which processes, threads and contexts a database of nvprof has.
namespace sonde::nvprof {
namespace {

/// As Nsight Systems packs them: the process id from bit 24 on.
constexpr int kProcessShift = 24;

uint64_t global_process(int64_t process_id) { return (static_cast<uint64_t>(process_id) & 0xFFFFFF) << kProcessShift; }

/// Calls have the lower half of the thread's number with a sign, markers without.
std::pair<int64_t, int64_t> thread_key(int64_t process_id, int64_t thread_id) {
  return {process_id, static_cast<int64_t>(static_cast<uint32_t>(thread_id))};
}

int64_t word_at(std::string_view bytes, size_t index) {
  uint32_t word = 0;
  if (bytes.size() < (index + 1) * sizeof word) return -1;
  std::memcpy(&word, bytes.data() + index * sizeof word, sizeof word);
  return word;
}

}  // namespace

uint64_t Session::thread(int64_t process_id, int64_t thread_id) {
  const auto number = static_cast<uint64_t>(threads.size() + 1);
  return threads.try_emplace(thread_key(process_id, thread_id), global_process(process_id) | (number & 0xFFFFFF))
      .first->second;
}

uint64_t Session::known_thread(int64_t process_id, int64_t thread_id) const {
  const auto known = threads.find(thread_key(process_id, thread_id));
  return known == threads.end() ? global_process(process_id) : known->second;
}

namespace {

void meet_threads(NsysFile& file, Session& session) {
  for (const std::string_view table : {"CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_DRIVER"}) {
    TableQuery query = file.query(table);
    if (!query.exists()) continue;
    const Cell process = query.column("processId");
    const Cell thread = query.column("threadId");
    file.each_row(query, [&](auto& row) {
      static_cast<void>(session.thread(row.integer(process, 0), row.integer(thread, 0)));
      if (session.process == 0) session.process = global_process(row.integer(process, 0));
    });
  }
}

/// A recording without calls names its process all the same.
void meet_process(NsysFile& file, Session& session) {
  TableQuery names = file.query("CUPTI_ACTIVITY_KIND_NAME");
  if (!names.exists() || session.process != 0) return;
  const Cell kind = names.column("objectKind");
  const Cell packed = names.column("objectId");
  file.each_row(names, [&](auto& row) {
    const Object object = object_of(row.integer(kind, 0), row.text(packed));
    if (session.process == 0 && object.process > 0) session.process = global_process(object.process);
  });
}

/// A file without contexts still says where its kernels and copies ran.
void meet_contexts(NsysFile& file, Session& session) {
  for (const std::string_view table :
       {"CUPTI_ACTIVITY_KIND_CONTEXT", "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", "CUPTI_ACTIVITY_KIND_KERNEL",
        "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"}) {
    TableQuery query = file.query(table);
    if (!query.exists()) continue;
    const Cell context = query.column("contextId");
    const Cell device = query.column("deviceId");
    file.each_row(query, [&](auto& row) {
      session.device_of_context.try_emplace(row.integer(context, 0), static_cast<int32_t>(row.integer(device, -1)));
    });
  }
}

}  // namespace

Session read_session(NsysFile& file) {
  Session session;
  meet_threads(file, session);
  meet_process(file, session);
  meet_contexts(file, session);
  return session;
}

Object object_of(int64_t object_kind, std::string_view packed) {
  constexpr int64_t kProcess = 1;  // CUPTI_ACTIVITY_OBJECT_PROCESS
  constexpr int64_t kThread = 2;   // CUPTI_ACTIVITY_OBJECT_THREAD
  if (object_kind != kProcess && object_kind != kThread) return {};
  return {word_at(packed, 0), object_kind == kThread ? word_at(packed, 1) : -1};
}

}  // namespace sonde::nvprof
