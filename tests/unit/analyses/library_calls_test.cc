#include "record/library_calls.h"

#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "record/trace_of.h"
#include "trace/whole_trace.h"

namespace sonde::record {
namespace library_calls_test {

using wire::Library;

/// A thread of each of two processes.
Trace two_threads() {
  Trace trace;
  trace.domains.push_back({trace.names.intern(""), DomainKind::nvtx});
  trace.processes = {{.pid = 1}, {.pid = 2}};
  trace.threads = {{.process = 0, .tid = 1, .priority = {}}, {.process = 1, .tid = 2, .priority = {}}};
  return trace;
}

using Row = std::tuple<std::string, int64_t, int64_t, ThreadId>;

std::vector<Row> calls_of(const Trace& t) {
  std::vector<Row> rows;
  const Calls& c = t.library_calls;
  for (size_t i = 0; i < c.start.size(); ++i) rows.emplace_back(t.name(c.name[i]), c.start[i], c.end[i], c.thread[i]);
  return rows;
}

std::vector<Row> ranges_of(const Trace& t) {
  std::vector<Row> rows;
  const Ranges& r = t.ranges;
  for (size_t i = 0; i < r.start.size(); ++i) rows.emplace_back(t.name(r.name[i]), r.start[i], r.end[i], r.thread[i]);
  return rows;
}

TEST(LibraryCalls, ALibrarysOwnCallsWithinACallAreNone) {
  Trace trace = two_threads();
  LibraryCalls calls(trace);
  const auto add = [&](Library library, const char* name, int64_t start, int64_t end) {
    calls.add(library, trace.names.intern(name), start, end);
  };
  calls.begin_thread(0);
  add(Library::cublas, "cublasBefore", 1, 2);
  add(Library::cublas, "cublasInner", 12, 13);
  add(Library::cublas, "cublasMiddle", 11, 14);
  add(Library::cudnn, "cudnnInner", 15, 16);
  add(Library::cudnn, "cudnnOuter", 10, 20);
  calls.begin_thread(1);
  add(Library::cudnn, "cudnnOther", 5, 30);  // around all of them, on another thread
  calls.finish([] {});
  EXPECT_EQ(calls_of(trace), (std::vector<Row>{{"cublasBefore", 1, 2, 0},
                                               {"cublasMiddle", 11, 14, 0},
                                               {"cudnnOuter", 10, 20, 0},
                                               {"cudnnOther", 5, 30, 1}}));
}

TEST(LibraryCalls, RangesThatNcclMakesItselfCount) {
  Trace trace = two_threads();
  const NameId name = trace.names.intern("ncclAllReduce");
  trace.domains.push_back({trace.names.intern("NCCL"), DomainKind::nvtx});
  Ranges& r = trace.ranges;
  r.start = {3};
  r.end = {8};
  r.name = {name};
  r.thread = {1};
  r.domain = {1};
  LibraryCalls calls(trace);
  for (const ThreadId thread : {0U, 1U}) {
    calls.begin_thread(thread);
    calls.add(Library::nccl, name, 2, 9);
    calls.add(Library::cusolver, trace.names.intern("cusolverDnSgetrf"), 10, 11);
  }
  calls.see(trace.ranges);
  calls.finish([] {});
  EXPECT_TRUE(calls.seen()[static_cast<size_t>(Library::nccl)]);
  EXPECT_FALSE(calls.seen()[static_cast<size_t>(Library::cublas)]);
  EXPECT_EQ(ranges_of(trace), (std::vector<Row>{{"ncclAllReduce", 3, 8, 1},
                                                {"ncclAllReduce", 2, 9, 0},
                                                {"cusolverDnSgetrf", 10, 11, 0},
                                                {"cusolverDnSgetrf", 10, 11, 1}}));
  EXPECT_EQ(trace.ranges.domain, (std::vector<DomainId>{1, 1, 2, 2}));
  EXPECT_TRUE(trace.library_calls.start.empty());
}

/// One record: its head, its body, its text.
template <typename Body>
std::vector<std::byte> record_of(wire::RecordHead head, const Body& body, const std::string& text) {
  std::vector<std::byte> bytes(sizeof head + sizeof body + wire::padded(static_cast<uint32_t>(text.size())));
  head.bytes = static_cast<uint16_t>(bytes.size());
  std::memcpy(bytes.data(), &head, sizeof head);
  std::memcpy(bytes.data() + sizeof head, &body, sizeof body);
  std::memcpy(bytes.data() + sizeof head + sizeof body, text.data(), text.size());
  return bytes;
}

TEST(LibraryCalls, RecordsBecomeRows) {
  const auto call = record_of({wire::Kind::library_call, 0, 0, static_cast<uint16_t>(Library::cudnn), 150},
                              wire::LibraryCallBody{170, 4, 0}, "");
  const auto past = record_of({wire::Kind::past_range, 0, 0, 0, 120}, wire::PastRangeBody{180, 6, {}}, "step 3");
  Trace trace;
  WholeTrace whole;
  const Tally tally = fill_alone(trace, {.all = {{9, 9, call}, {9, 9, past}}}, {.begin_ns = 100}, whole.taker());
  whole.put_into(trace);
  EXPECT_EQ(calls_of(trace), (std::vector<Row>{{"registered string 4 (name lost)", 50, 70, 0}}));
  EXPECT_EQ(ranges_of(trace), (std::vector<Row>{{"step 3", 20, 80, 0}}));
  EXPECT_EQ(tally.open_ranges, 0);
  EXPECT_EQ(tally.unread_bytes, 0);
}

TEST(LibraryCalls, RecordsThatCannotBeAreNone) {
  const auto no_library =
      record_of({wire::Kind::library_call, 0, 0, wire::kLibraries, 150}, wire::LibraryCallBody{170, 4, 0}, "");
  const auto ends_before = record_of({wire::Kind::past_range, 0, 0, 0, 120}, wire::PastRangeBody{119, 0, {}}, "");
  const auto long_text = record_of({wire::Kind::past_range, 0, 0, 0, 120}, wire::PastRangeBody{121, 9, {}}, "step");
  for (const auto& bytes : {no_library, ends_before, long_text}) {
    Trace trace;
    const Tally tally = fill_alone(trace, {.all = {{9, 9, bytes}}}, {.begin_ns = 100}, [](const Trace&) {});
    EXPECT_EQ(tally.unread_bytes, static_cast<int64_t>(bytes.size()));
    EXPECT_EQ(tally.records, 0);
  }
}

}  // namespace library_calls_test
}  // namespace sonde::record
