#pragma once

#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace sonde {

/// A call of a library on a host thread.
struct LibraryCall {
  int64_t start = 0;
  int64_t end = 0;
  ThreadId thread = kNone;
  std::string_view library;
  NameId name = kNone;
  ChainId chain = kNone;  ///< its own, else that of the first CUDA API call in it that has one
};

/// The calls of a run, and what lies in each.
struct LibraryCalls {
  std::vector<LibraryCall> calls;  ///< by thread, then by start, outer ones first
  Ids of_api;                      ///< the innermost call around each row of `api`; kNone outside any
};

/// Traced library calls, and push/pop ranges of the domains of library_domains.inc that were closed.
[[nodiscard]] LibraryCalls library_calls(const Trace& trace);

}  // namespace sonde
