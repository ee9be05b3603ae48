#include "trace/columns.h"

#include "importers/pytorch_text.h"

namespace sonde {
namespace pytorch_pieces_test {

/// Everything that a trace says, as text.
std::string told(const Trace& t) {
  std::string out;
  const auto& r = t.ranges;
  for (size_t i = 0; i < row_count(r); ++i) {
    out += fmt::format("range {} {} {} {} {} {}\n", r.start[i], r.end[i], t.name(r.name[i]), t.threads[r.thread[i]].tid,
                       r.sequence[i], t.name(r.shapes[i]));
  }
  for (size_t i = 0; i < row_count(t.kernels); ++i) {
    out += fmt::format("kernel {} {} {} {}\n", t.kernels.start[i], t.name(t.kernels.name[i]),
                       t.streams[t.kernels.stream[i]].stream, t.kernels.correlation[i]);
  }
  for (const auto& [name, count] : t.ranks.at(0).holds) out += fmt::format("holds {} {}\n", name, count);
  for (const auto& e : t.log.entries()) out += fmt::format("{} {} {}\n", text_of(e.issue).id, e.detail, e.count);
  return out;
}

/// What is read does not depend on where the text was cut.
void expect_same_for_all_piece_sizes(const std::string& json) {
  const std::string whole = told(read_trace(json, Fields::all(), json.size()));
  for (const size_t bytes : {1U, 7U, 60U, 100U, 150U, 333U, 1000U}) {
    EXPECT_EQ(told(read_trace(json, Fields::all(), bytes)), whole) << "pieces of " << bytes << " bytes";
  }
}

std::string many_events() {
  std::string events;
  for (int i = 0; i < 60; ++i) {
    if (i > 0) events += ",\n  ";
    if (i % 3 == 0) {
      events += fmt::format(
          R"({{"ph": "X", "cat": "kernel", "name": "k{}", "pid": 0, "tid": 7, "ts": {}.5, "dur": 1,
             "args": {{"device": 0, "stream": {}, "correlation": {}}}}})",
          i % 5, i, i % 2, i);
    } else {
      events += fmt::format(
          R"({{"ph": "X", "cat": "cpu_op", "name": "op{}", "pid": 1, "tid": {}, "ts": {}, "dur": 2,
             "args": {{"Sequence number": {}, "Input Dims": [[{}, 2], []]}}}})",
          i % 4, i % 2, i, i, i % 3);
    }
  }
  return events;
}

TEST(PytorchPieces, TheCutsDoNotMatter) { expect_same_for_all_piece_sizes(document(many_events())); }

TEST(PytorchPieces, TheCutsDoNotMatterInACompactList) {
  std::string json = "[" + many_events() + "]";
  std::erase_if(json, [](char c) { return c == ' ' || c == '\n'; });
  expect_same_for_all_piece_sizes(json);
}

TEST(PytorchPieces, SeamsInsideStringsAreNone) {
  expect_same_for_all_piece_sizes(document(
      R"({"ph": "X", "cat": "cpu_op", "name": "x},{\"ph\": \"X\"},{\"ph\":", "pid": 1, "tid": 2, "ts": 3, "dur": 4},
         {"ph": "X", "cat": "cpu_op", "name": "\\", "pid": 1, "tid": 2, "ts": 3, "dur": 4},
         {"ph": "X", "cat": "cpu_op", "name": "}, {", "pid": 1, "tid": 2, "ts": 3, "dur": 4})"));
}

TEST(PytorchPieces, SeamsInNestedListsAreNone) {
  std::string events = many_events();
  events += R"(, {"ph": "X", "cat": "cpu_op", "name": "outer", "pid": 1, "tid": 2, "ts": 300, "dur": 4,
    "args": {"frames": [{"ph": "X", "name": "inner", "cat": "cpu_op", "ts": 1, "dur": 1}, {"ph": "X", "name": "inner",
    "cat": "cpu_op", "ts": 1, "dur": 1}, {"ph": "X"}]}}, )";
  events += many_events();
  const std::string json = document(events);
  expect_same_for_all_piece_sizes(json);
  EXPECT_EQ(read_trace(json, Fields::all(), 50).ranges.start.size(), 81U);
}

TEST(PytorchPieces, ASecondListBehindTheEventsIsNotRead) {
  const std::string json = R"({"traceEvents": [)" + many_events() + R"(], "otherEvents": [)" + many_events() + "," +
                           many_events() + R"(], "baseTimeNanoseconds": 7})";
  expect_same_for_all_piece_sizes(json);
  const Trace t = read_trace(json, Fields::all(), 200);
  EXPECT_EQ(t.ranges.start.size(), 40U);
  EXPECT_EQ(t.ranks[0].utc_ns, 507) << "the member behind both lists is read";
}

TEST(PytorchPieces, DamageIsTheSameInAnyPiece) {
  const std::string bad = R"(, {"ph": "X", "name": "a)" + std::string("\x01") + R"(b"}, {"ph": "X" "a"}, 5, )";
  expect_same_for_all_piece_sizes(document(many_events() + bad + many_events() + bad + many_events()));
  const std::string lost = R"(, {"ph": "X", "cat": "cpu_op, "pid": 1}, )";
  expect_same_for_all_piece_sizes(document(many_events() + lost + many_events()));
  const std::string whole = document(many_events());
  for (const size_t cut : {1U, 50U, 333U, 1000U}) expect_same_for_all_piece_sizes(whole.substr(0, whole.size() - cut));
}

TEST(PytorchPieces, EventsWithAnotherFirstKeyStayInTheirPiece) {
  expect_same_for_all_piece_sizes(document(
      many_events() + R"(, {"name": "thread_name", "ph": "M", "ts": 1, "pid": 1, "tid": 0, "args": {"name": "t"}},
      {"name": "x", "ph": "X", "cat": "new_thing", "ts": 1, "dur": 1, "pid": 1, "tid": 0}, )" +
      many_events()));
}

}  // namespace pytorch_pieces_test
}  // namespace sonde
