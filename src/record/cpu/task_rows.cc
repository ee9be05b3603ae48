#include "record/cpu/task_rows.h"

#include "record/trace_of.h"

namespace sonde::record {
namespace {

uint64_t task_key(uint32_t process, uint32_t thread) { return uint64_t{process} << 32U | thread; }

}  // namespace

TaskRows::TaskRows(Trace& trace) : trace_(trace) {
  for (ProcessId p = 0; p < trace.processes.size(); ++p) {
    processes_[static_cast<uint32_t>(trace.processes[p].pid)] = p;
  }
  for (ThreadId t = 0; t < trace.threads.size(); ++t) {
    const Thread& thread = trace.threads[t];
    threads_[task_key(static_cast<uint32_t>(trace.processes[thread.process].pid), static_cast<uint32_t>(thread.tid))] =
        t;
  }
}

ProcessId TaskRows::process(uint32_t number) {
  const auto [found, fresh] = processes_.try_emplace(number, static_cast<ProcessId>(trace_.processes.size()));
  if (fresh) trace_.processes.push_back({.global_id = global_id(number, 0), .pid = number});
  return found->second;
}

ThreadId TaskRows::thread(uint32_t process, uint32_t thread) {
  const auto [found, fresh] =
      threads_.try_emplace(task_key(process, thread), static_cast<ThreadId>(trace_.threads.size()));
  if (fresh) {
    trace_.threads.push_back({.process = this->process(process),
                              .global_id = global_id(process, thread),
                              .tid = thread,
                              .name = kNone,
                              .priority = {}});
  }
  return found->second;
}

void TaskRows::name(uint32_t process, uint32_t thread, std::string_view text) {
  names_[task_key(process, thread)] = trace_.names.intern(text);
}

void TaskRows::put_names() {
  const auto put = [&](NameId& name, uint64_t of) {
    const auto found = names_.find(of);
    if (name == kNone && found != names_.end()) name = found->second;
  };
  for (const auto& [number, row] : processes_) put(trace_.processes[row].name, task_key(number, number));
  for (const auto& [of, row] : threads_) put(trace_.threads[row].name, of);
}

}  // namespace sonde::record
