#pragma once

#include "trace/trace.h"

namespace sonde {

/// The numbers that people know a thread by; kUnknown where the source does not give them.
[[nodiscard]] inline int64_t tid_of(const Trace& trace, ThreadId thread) {
  return thread < trace.threads.size() ? trace.threads[thread].tid : kUnknown;
}

[[nodiscard]] inline int64_t pid_of(const Trace& trace, ThreadId thread) {
  if (thread >= trace.threads.size()) return kUnknown;
  const ProcessId process = trace.threads[thread].process;
  return process < trace.processes.size() ? trace.processes[process].pid : kUnknown;
}

}  // namespace sonde
