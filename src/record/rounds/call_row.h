#pragma once

#include "trace/trace.h"

namespace sonde::record {

/// What calls of every kind have. Columns behind these are their own.
struct CallRow {
  int64_t start;
  int64_t end;
  NameId name;
  ThreadId thread;
  CallClass call_class;
};

inline void append(Calls& calls, const CallRow& row) {
  calls.start.push_back(row.start);
  calls.end.push_back(row.end);
  calls.name.push_back(row.name);
  calls.thread.push_back(row.thread);
  calls.call_class.push_back(static_cast<uint8_t>(row.call_class));
}

}  // namespace sonde::record
