#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "importers/pytorch/pytorch_trace.h"
#include "trace/link.h"

/// Small PyTorch traces for tests, written as text.
namespace sonde {

inline Trace read_trace(std::string_view json, const Fields& fields = Fields::all(), size_t piece_bytes = 1 << 20) {
  Trace trace;
  trace.fields = fields;
  ImportRequest request;
  request.fields = fields;
  const Status status = pytorch::read_text(json, "folder/trace.json", request, trace, piece_bytes);
  EXPECT_TRUE(status) << (status ? "" : status.error().message);
  return trace;
}

inline Trace linked_trace(std::string_view json, const Fields& fields = Fields::all()) {
  Trace trace = read_trace(json, fields);
  link(trace);
  return trace;
}

/// A whole document around events.
inline std::string document(std::string_view events, std::string_view members = R"("schemaVersion": 1)") {
  return "{" + std::string(members) + ",\n \"traceEvents\": [\n" + std::string(events) + "\n]}\n";
}

inline int64_t issues(const Trace& trace, Issue issue) {
  int64_t count = 0;
  for (const ImportLog::Entry& entry : trace.log.entries()) count += entry.issue == issue ? entry.count : 0;
  return count;
}

}  // namespace sonde
