#include <array>
#include <cstring>

#include <gtest/gtest.h>

#include "record/python/find_interpreter.h"
#include "record/python/python_events.h"
#include "record/python/records.h"
#include "record/python/tasks.h"

namespace sonde::record::python {
namespace python_process_test {

TEST(PythonLayout, IsKnownOfTheVersionsInTheTable) {
  for (int minor = kFirstMinor; minor <= kLastMinor; ++minor) {
    const Layout* const layout = known_layout(minor);
    ASSERT_NE(layout, nullptr) << minor;
    EXPECT_EQ(layout->minor, minor);
    EXPECT_NE(layout->gil == Layout::kNowhere, layout->gil_pointer == Layout::kNowhere) << minor;
  }
  EXPECT_EQ(known_layout(kFirstMinor - 1), nullptr);
  EXPECT_EQ(known_layout(kLastMinor + 1), nullptr);
}

/// A head that tells what the table has, but for some numbers of its own.
std::vector<std::byte> head(uint64_t threads_head, uint64_t gil, uint64_t gil_holder) {
  std::array<uint64_t, kToldBytes / sizeof(uint64_t)> numbers{};
  std::memcpy(numbers.data(), "xdebugpy", 8);
  numbers[9] = threads_head;
  numbers[15] = gil;
  numbers[17] = gil + 16;
  numbers[18] = gil_holder;
  const auto bytes = std::as_bytes(std::span(numbers));
  return {bytes.begin(), bytes.end()};
}

TEST(PythonLayout, IsWhatTheProcessTells) {
  const Layout& known = *known_layout(13);
  const auto told = told_layout(known, head(5000, 100'000, 100'040));
  ASSERT_TRUE(told);
  EXPECT_EQ(told->threads_head, 5000U);
  EXPECT_EQ(told->gil_locked, 16U) << "the lock's members count from the lock";
  EXPECT_EQ(told->gil_holder, 40U);
  EXPECT_EQ(told->gil_end, known.gil_end) << "what is not told is that of the table";
}

TEST(PythonLayout, ThatMakesNoSenseIsAnError) {
  const Layout& known = *known_layout(13);
  EXPECT_FALSE(told_layout(known, head(1ULL << 40U, 0, 0)));
  EXPECT_FALSE(told_layout(known, head(5000, 100, 99))) << "a member before its structure";
  auto other = head(5000, 100'000, 100'040);
  other[0] = std::byte{'y'};
  EXPECT_FALSE(told_layout(known, other));
  EXPECT_FALSE(told_layout(known, std::span(other).first(100)));
}

TEST(PythonFiles, AreTheProgramAndThoseOfTheName) {
  const auto files = python_files(
      "00400000-0041f000 r--p 00000000 fe:00 1001  /usr/bin/python3.9\n"
      "0041f000-00690000 r-xp 0001f000 fe:00 1001  /usr/bin/python3.9\n"
      "7f00a0000000-7f00a0100000 rw-p 00000000 00:00 0 \n"
      "7f00b0000000-7f00b0100000 r--p 00002000 fe:00 1002                     /opt/my env/lib/libpython3.12.so.1.0\n"
      "7f00c0000000-7f00c0100000 r--p 00000000 fe:00 1003                     /usr/lib/libc.so.6\n"
      "7f00d0000000-7f00d0100000 r--p 00000000 fe:00 1004                     /opt/app\n"
      "7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0                        [stack]\n"
      "no line at all\n",
      "/opt/app");
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(files[0].path, "/usr/bin/python3.9");
  EXPECT_EQ(files[0].begin, 0x400000U);
  EXPECT_EQ(files[1].path, "/opt/my env/lib/libpython3.12.so.1.0");
  EXPECT_EQ(files[1].offset, 0x2000U);
  EXPECT_EQ(files[2].path, "/opt/app");
}

TEST(PythonFiles, TellTheirVersionByTheirNames) {
  EXPECT_EQ(minor_of_name("/usr/bin/python3.9"), 9);
  EXPECT_EQ(minor_of_name("/x/libpython3.10.so.1.0"), 10);
  EXPECT_EQ(minor_of_name("/x/libpython3.8d.so"), 8);
  EXPECT_EQ(minor_of_name("/x/python3"), 0);
  EXPECT_EQ(minor_of_name("/x/python3.11/bin/app"), 0);
}

TEST(PythonTasks, AreToldByLinux) {
  EXPECT_EQ(parse_task_state("running\n").state, sonde::ThreadState::running);
  const TaskState waits = parse_task_state("202 0x7f0010 0x189 0x0 0x7ffd 0x0 0xffffffff 0x7ffe 0x7f01\n");
  EXPECT_EQ(waits.state, sonde::ThreadState::waiting);
  EXPECT_EQ(waits.waits_on, 0x7f0010U);
  EXPECT_EQ(parse_task_state("0 0x7f0010 0x1 0x2\n").waits_on, 0U) << "read(2)";
  EXPECT_EQ(parse_task_state("-1 0x7ffe 0x7f01\n").state, sonde::ThreadState::waiting) << "for memory";
  EXPECT_EQ(parse_task_state("").state, sonde::ThreadState::unknown);
  EXPECT_EQ(parse_task_state("?").state, sonde::ThreadState::unknown);
}

TEST(PythonTasks, WantTheLockWhileTheyWaitOnAPartOfIt) {
  const Layout& layout = *known_layout(11);
  const std::vector<Gil> gils = {{.address = 0x1000, .holder = 7}};
  const ThreadState holder{.address = 7, .gil = 0x1000};
  const ThreadState other{.address = 8, .gil = 0x1000};
  const ThreadState stranger{.address = 9, .gil = 0x5000};
  const auto waits_on = [](uint64_t address) { return TaskState{sonde::ThreadState::waiting, address}; };
  EXPECT_EQ(gil_use(layout, holder, gils, {sonde::ThreadState::running}), GilUse::holds);
  EXPECT_EQ(gil_use(layout, other, gils, {sonde::ThreadState::running}), GilUse::none);
  EXPECT_EQ(gil_use(layout, other, gils, waits_on(0x1000 + layout.gil_waits)), GilUse::waits);
  EXPECT_EQ(gil_use(layout, other, gils, waits_on(0x1000 + layout.gil_end - 4)), GilUse::waits);
  EXPECT_EQ(gil_use(layout, other, gils, waits_on(0x1000 + layout.gil_end)), GilUse::none);
  EXPECT_EQ(gil_use(layout, other, gils, waits_on(0x9000)), GilUse::none);
  EXPECT_EQ(gil_use(layout, stranger, gils, waits_on(0x9000)), GilUse::unknown);
}

Slice slice_of(const std::vector<std::byte>& records, uint32_t mark) {
  return {.process = 0, .thread = 0, .records = records, .mark = mark};
}

class PythonRecords : public testing::Test {
 protected:
  PythonRecords() {
    append(ProcessRecord{.process = 50}, "3.11.7", "", definitions);
    append(ProcessRecord{.process = 60}, "3.14.0", "too new", definitions);
    append(FrameRecord{.id = 0, .line = 12}, "main", "/a.py", definitions);
    append(FrameRecord{.id = 1, .line = 0}, "f", "/b.py", definitions);
    append(NodeRecord{.id = 1, .parent = 0, .frame = 0}, definitions);
    append(NodeRecord{.id = 2, .parent = 1, .frame = 1}, definitions);
    sample(100, 2, 1, GilUse::holds);
    sample(200, 0, 7, GilUse::none);
    sample(300, 2, 7, GilUse::waits);
    sample(900, 2, 1, GilUse::holds);
    append(TallyRecord{.torn = 1, .missed = 2, .nameless = 3, .own_ns = 4}, samples);
  }

  void sample(int64_t time, uint32_t node, uint16_t state, GilUse gil) {
    append(
        SampleRecord{
            .time = time, .process = 50, .thread = 51, .node = node, .state = state, .gil = static_cast<uint16_t>(gil)},
        samples);
  }

  PythonTally fill() {
    Slices slices;
    slices.python = {slice_of(definitions, kPythonDefinitionMark), slice_of(samples, kPythonSampleMark)};
    return fill_python_events(trace, slices, {.begin = 50, .end = 500}, [this](const Trace& part) {
      rows.insert(rows.end(), part.python_samples.start.begin(), part.python_samples.start.end());
      chains.insert(chains.end(), part.python_samples.chain.begin(), part.python_samples.chain.end());
    });
  }

  std::vector<std::byte> definitions;
  std::vector<std::byte> samples;
  Trace trace;
  std::vector<int64_t> rows;
  std::vector<ChainId> chains;
};

TEST_F(PythonRecords, BecomeSamplesAndStacks) {
  const PythonTally tally = fill();
  EXPECT_EQ(rows, (std::vector<int64_t>{50, 150, 250})) << "from the span's begin, and none behind its end";
  EXPECT_EQ(chains, (std::vector<ChainId>{0, kNone, 0})) << "equal stacks are one";
  ASSERT_EQ(trace.chains.size(), 1U);
  EXPECT_EQ(trace.name(trace.chains.symbol[0]), "f");
  EXPECT_EQ(trace.name(trace.chains.module[1]), "/a.py");
  EXPECT_EQ(trace.chains.line_of(0), kUnknown32);
  EXPECT_EQ(trace.chains.line_of(1), 12);
  ASSERT_EQ(trace.threads.size(), 1U);
  EXPECT_EQ(trace.threads[0].tid, 51);
  EXPECT_EQ(tally.samples, 3);
  EXPECT_EQ(tally.gil_waits, 1);
  EXPECT_EQ(tally.torn, 1);
  EXPECT_EQ(tally.missed, 2);
  EXPECT_EQ(tally.nameless, 3);
  EXPECT_EQ(tally.own_ns, 4);
  EXPECT_EQ(tally.last_ns, 300);
  ASSERT_EQ(tally.processes.size(), 2U);
  EXPECT_EQ(tally.processes[1].problem, "too new");
  EXPECT_EQ(tally.unread_bytes, 0);
}

TEST_F(PythonRecords, ThatAreDamagedEndTheReading) {
  samples[4] = std::byte{0xFF};  // how long the first is
  samples[5] = std::byte{0xFF};
  const PythonTally tally = fill();
  EXPECT_EQ(tally.samples, 0);
  EXPECT_EQ(tally.unread_bytes, static_cast<int64_t>(samples.size()));
}

TEST_F(PythonRecords, OfStacksThatGoInCirclesEnd) {
  append(NodeRecord{.id = 2, .parent = 2, .frame = 1}, definitions);
  EXPECT_EQ(fill().samples, 3);
}

}  // namespace python_process_test
}  // namespace sonde::record::python
