#include <gtest/gtest.h>

#include "python_image.h"
#include "record/python/records.h"
#include "record/python/stack_table.h"
#include "record/python/stacks.h"

namespace sonde::record::python {
namespace python_stacks_test {

constexpr char kOwnedByC = 3;

/// What is known of one version holds for each.
class PythonStacks : public testing::TestWithParam<int> {
 protected:
  PythonImage image{GetParam()};
  StackReader reader;
  CodeObjects codes;
  std::vector<ThreadState> threads;
  std::vector<Gil> gils;
  std::vector<RawFrame> frames;

  bool read(uint64_t innermost) {
    return reader.read(image.memory, image.interpreter, innermost, frames) == StackReader::Outcome::whole &&
           codes.look_at(image.memory, image.interpreter, frames);
  }

  std::string function(size_t depth) { return codes.at(codes.number(frames[depth].code)).function; }

  /// "function:line" of the stack, innermost first, as the records tell it.
  std::vector<std::string> told(uint32_t node, const std::vector<std::byte>& definitions) {
    RecordReader records(definitions);
    PythonRecord record;
    while (records.next(record)) {
      if (record.kind == RecordKind::frame) {
        lines_[record.frame.id] = fmt::format("{}:{}", record.first, record.frame.line);
      }
      if (record.kind == RecordKind::node) nodes_[record.node.id] = record.node;
    }
    std::vector<std::string> stack;
    for (; node != 0; node = nodes_.at(node).parent) stack.push_back(lines_.at(nodes_.at(node).frame));
    return stack;
  }

  std::map<uint32_t, std::string> lines_;
  std::map<uint32_t, NodeRecord> nodes_;
};

TEST_P(PythonStacks, AreReadInnermostFirst) {
  const uint64_t main = image.code("main", "/app/train.py", 10);
  const uint64_t step = image.code("Model.step", "/app/model.py", 20);
  const uint64_t outer = image.frame(main, 0);
  const uint64_t inner = image.frame(step, image.frame(step, outer));
  image.thread(inner, 77);
  ASSERT_TRUE(read_threads(image.memory, image.interpreter, threads, gils));
  ASSERT_EQ(threads.size(), 1U);
  EXPECT_EQ(threads[0].thread_id, 77U);
  EXPECT_EQ(threads[0].number, GetParam() >= 11 ? 77U : 0U);
  ASSERT_TRUE(read(threads[0].frame));
  StackTable table;
  std::vector<std::byte> definitions;
  const uint32_t node = table.node_of(1, image.layout(), codes, frames, definitions);
  EXPECT_EQ(told(node, definitions), (std::vector<std::string>{"Model.step:21", "Model.step:21", "main:11"}));
  EXPECT_EQ(codes.at(codes.number(frames[2].code)).file, "/app/train.py");

  const size_t bytes = definitions.size();
  EXPECT_EQ(table.node_of(1, image.layout(), codes, frames, definitions), node);
  EXPECT_EQ(definitions.size(), bytes) << "a known stack is told once";
  EXPECT_NE(table.node_of(2, image.layout(), codes, frames, definitions), node) << "another process's functions";
}

TEST_P(PythonStacks, TellWhoHasTheLock) {
  const uint64_t second = image.thread(0, 8);
  const uint64_t first = image.thread(0, 7, second);
  ASSERT_TRUE(read_threads(image.memory, image.interpreter, threads, gils));
  ASSERT_EQ(gils.size(), 1U);
  EXPECT_EQ(gils[0].holder, 0U);
  image.lock(second);
  ASSERT_TRUE(read_threads(image.memory, image.interpreter, threads, gils));
  ASSERT_EQ(threads.size(), 2U);
  EXPECT_EQ(threads[0].address, first);
  EXPECT_EQ(threads[0].gil, image.gil);
  EXPECT_EQ(gils[0].address, image.gil);
  EXPECT_EQ(gils[0].holder, second);
}

TEST_P(PythonStacks, OfAnotherFunctionAtTheSamePlaceHaveItsName) {
  const uint64_t code = image.code("before", "/a.py", 1);
  const uint64_t frame = image.frame(code, 0);
  ASSERT_TRUE(read(frame));
  const uint32_t number = codes.number(code);
  EXPECT_EQ(function(0), "before");
  ASSERT_TRUE(read(frame));
  EXPECT_EQ(codes.number(code), number);
  const bool qualified = image.layout().code_qualified_name != Layout::kNowhere;
  image.memory.put(code + image.layout().code_name, image.text("after"));
  if (qualified) image.memory.put(code + image.layout().code_qualified_name, image.text("after"));
  ASSERT_TRUE(read(frame));
  EXPECT_EQ(function(0), "after");
  EXPECT_NE(codes.number(code), number);
  EXPECT_EQ(codes.at(number).function, "before");
}

TEST_P(PythonStacks, ThatAreTornAreNone) {
  const uint64_t code = image.code("f", "/a.py", 1);
  const uint64_t frame = image.frame(code, 0);
  EXPECT_TRUE(read(frame));
  EXPECT_FALSE(read(0xdead0000)) << "no memory is there";
  EXPECT_FALSE(read(image.frame(0xdead0000, frame))) << "no code is there";
  EXPECT_FALSE(read(image.frame(image.text("f"), frame))) << "what is there is no code";
  EXPECT_FALSE(read(image.frame(code, 0xdead0000)));
  const uint64_t loop = image.frame(code, 0);
  image.memory.put(loop + image.layout().frame_back, loop);
  EXPECT_TRUE(read(loop));
  EXPECT_EQ(frames.size(), kMostFrames) << "a loop ends somewhere";
  EXPECT_TRUE(read(frame)) << "what was torn leaves nothing behind";
}

TEST_P(PythonStacks, LeaveOutFramesOfTheInterpreter) {
  if (GetParam() < 12) GTEST_SKIP() << "there are none before 3.12";
  const uint64_t code = image.code("f", "/a.py", 1);
  const uint64_t entry = image.frame(0x4444, image.frame(code, 0));
  image.memory.put(entry + image.layout().frame_owner, kOwnedByC);
  ASSERT_TRUE(read(image.frame(code, entry)));
  EXPECT_EQ(frames.size(), 2U);
}

TEST_P(PythonStacks, OfListsWithoutAnEndAreNone) {
  const uint64_t thread = image.thread(0, 7);
  image.memory.put(thread + image.layout().thread_next, thread);
  EXPECT_FALSE(read_threads(image.memory, image.interpreter, threads, gils));
  image.memory.put(thread + image.layout().thread_next, uint64_t{0xdead0000});
  EXPECT_FALSE(read_threads(image.memory, image.interpreter, threads, gils));
  image.memory.put(thread + image.layout().thread_next, uint64_t{0});
  EXPECT_TRUE(read_threads(image.memory, image.interpreter, threads, gils));
  image.memory.put(image.state + image.layout().interpreter_next, image.state);
  EXPECT_FALSE(read_threads(image.memory, image.interpreter, threads, gils));
}

TEST_P(PythonStacks, HaveTextsOfAnyWidth) {
  const auto text = [&](uint64_t object) { return read_text(image.memory, image.interpreter, object); };
  EXPECT_EQ(text(image.text("plain")), "plain");
  EXPECT_EQ(text(image.text("")), "");
  EXPECT_EQ(text(image.text("gr\xfc\xdf", false)), "grüß");
  EXPECT_EQ(text(image.text(std::string_view("\x3b\x04\x35\x04", 4), false, 2)), "ле");
  EXPECT_EQ(text(image.text(std::string_view("\x0d\xf4\x01\x00", 4), false, 4)), "🐍");
  EXPECT_EQ(text(image.text(std::string_view("\x00\xd8", 2), false, 2)), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD")
      << "a lone surrogate is no character";
  EXPECT_FALSE(text(0));
  EXPECT_FALSE(text(image.bytes("no text")));
  const uint64_t long_text = image.text(std::string(9000, 'x'));
  EXPECT_EQ(text(long_text)->size(), 4000U);
  image.memory.put(long_text + kSizeAt, int64_t{-1});
  EXPECT_FALSE(text(long_text));
}

INSTANTIATE_TEST_SUITE_P(Versions, PythonStacks, testing::Range(kFirstMinor, kLastMinor + 1),
                         [](const auto& version) { return fmt::format("Minor{}", version.param); });

}  // namespace python_stacks_test
}  // namespace sonde::record::python
