#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "record/trace_of.h"
#include "trace/whole_trace.h"
#include "wire/os_calls.h"
#include "wire/reader.h"

namespace sonde::record {
namespace recording_test {

/// Records as the injected library writes them.
class Written {
 public:
  template <typename... Bodies>
  Written& add(wire::RecordHead head, const std::string& text, const Bodies&... bodies) {
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof head);
    (append(bodies), ...);
    const size_t text_at = bytes_.size();
    bytes_.resize(text_at + wire::padded(static_cast<uint32_t>(text.size())));
    std::memcpy(bytes_.data() + text_at, text.data(), text.size());
    head.bytes = static_cast<uint16_t>(bytes_.size() - at);
    std::memcpy(bytes_.data() + at, &head, sizeof head);
    return *this;
  }

  Written& push(int64_t time, uint16_t level, const std::string& name) {
    return add({wire::Kind::push, 0, 0, level, time}, name,
               wire::EventBody{0, static_cast<uint16_t>(name.size()), 0, 0});
  }
  Written& pop(int64_t time, uint16_t level) { return add({wire::Kind::pop, 0, 0, level, time}, ""); }
  Written& process(int64_t time, const std::string& name) {
    wire::ProcessBody body{};
    body.event_cost_ns = 50;
    body.text_bytes = static_cast<uint16_t>(name.size());
    return add({wire::Kind::process, 0, 0, 0, time}, name, body);
  }
  Written& define(wire::Kind kind, int64_t time, uint32_t id, const std::string& text) {
    return add({kind, 0, 0, 0, time}, text, wire::DefinitionBody{id, static_cast<uint16_t>(text.size()), 0});
  }
  Written& call(wire::OsCall call, int64_t start, int64_t end) {
    return add({wire::Kind::os_call, 0, 0, static_cast<uint16_t>(call), start}, "", wire::OsCallBody{end, 7});
  }

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  template <typename T>
  void append(const T& value) {
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }

  std::vector<std::byte> bytes_;
};

struct Made {
  Trace trace;
  Tally tally;
};

/// The rows of all parts, in one trace.
Made made_of(std::vector<Slice> slices, size_t part_rows = kPartRows) {
  Made made;
  WholeTrace whole;
  made.tally = fill_alone(made.trace, {.all = std::move(slices)}, {.begin_ns = 100}, whole.taker(), {}, part_rows);
  whole.put_into(made.trace);
  return made;
}

/// name, start and end of each range.
using Range = std::tuple<std::string, int64_t, int64_t>;
std::vector<Range> ranges_of(const Trace& t) {
  std::vector<Range> all;
  for (size_t i = 0; i < t.ranges.start.size(); ++i)
    all.emplace_back(t.name(t.ranges.name[i]), t.ranges.start[i], t.ranges.end[i]);
  return all;
}

TEST(Recording, RangesEndAtTheirOwnLevel) {
  Written w;
  // The push of the innermost was dropped, and so was the pop of the middle one.
  w.push(110, 0, "outer").push(120, 1, "middle").pop(130, 2).pop(160, 0);
  const Made made = made_of({{5, 5, w.bytes()}});
  EXPECT_EQ(ranges_of(made.trace), (std::vector<Range>{{"outer", 10, 60}, {"middle", 20, kUnknown}}));
  EXPECT_EQ(made.tally.unmatched_ends, 1);
  EXPECT_EQ(made.tally.open_ranges, 1);
}

TEST(Recording, AProgramBehindExecNamesItsStringsAnew) {
  const auto event = [](Written& w, int64_t time) {
    w.add({wire::Kind::mark, 0, 0, 0, time}, "", wire::EventBody{1, 0, 0, 0});
  };
  Written before;
  before.process(100, "sh").define(wire::Kind::string, 101, 1, "old");
  event(before, 102);
  Written behind;
  behind.process(200, "python").define(wire::Kind::string, 201, 1, "new");
  event(behind, 202);
  const Made made = made_of({{5, 5, before.bytes()}, {5, 5, behind.bytes()}});
  const Marks& m = made.trace.marks;
  ASSERT_EQ(m.start.size(), 2U);
  EXPECT_EQ(made.trace.name(m.name[0]), "old");
  EXPECT_EQ(made.trace.name(m.name[1]), "new");
  ASSERT_EQ(made.trace.processes.size(), 1U);
  EXPECT_EQ(made.trace.name(made.trace.processes[0].name), "python");
  EXPECT_EQ(made.tally.event_cost_ns, 50U);
}

TEST(Recording, CallsWithinACallAreNested) {
  Written w;
  w.call(wire::OsCall::write, 120, 130).call(wire::OsCall::read, 110, 150).call(wire::OsCall::close, 160, 170);
  const Made made = made_of({{5, 6, w.bytes()}});
  EXPECT_EQ(made.trace.os_calls.nesting, (Ints{0, 1, 0}));
  EXPECT_EQ(made.trace.name(made.trace.os_calls.name[0]), "read");
  EXPECT_EQ(made.trace.os_calls.result[0], 7);
}

TEST(Recording, SlicesOfAThreadComeInTheOrderOfTheirTimes) {
  Written first;
  first.push(110, 0, "a");
  Written second;
  second.pop(120, 0);
  std::vector<std::byte> spool;
  const auto add = [&](const Written& w) {
    const SliceHead head{5, 5, static_cast<uint32_t>(w.bytes().size()), kSliceMark};
    const auto bytes = std::as_bytes(std::span(&head, 1));
    spool.insert(spool.end(), bytes.begin(), bytes.end());
    spool.insert(spool.end(), w.bytes().begin(), w.bytes().end());
  };
  add(second);
  add(first);
  spool.resize(spool.size() + 3);  // the beginning of one that was not written whole
  const Slices slices = ordered_slices(spool);
  ASSERT_EQ(slices.all.size(), 2U);
  EXPECT_EQ(slices.unread_bytes, 3U);
  EXPECT_EQ(ranges_of(made_of(slices.all).trace), (std::vector<Range>{{"a", 10, 20}}));
}

TEST(Recording, RecordsThatAreNoneEndTheReading) {
  Written w;
  w.push(110, 0, "good");
  std::vector<std::byte> bytes(w.bytes().begin(), w.bytes().end());
  const size_t good = bytes.size();
  bytes.insert(bytes.end(), w.bytes().begin(), w.bytes().end());
  for (const auto& [at, value] : {std::pair{good + 2, 8}, {good + 2, 255}, {good, 99}, {good + 20, 200}}) {
    std::vector<std::byte> broken = bytes;
    broken[at] = std::byte(value);
    wire::Reader reader(broken);
    wire::Record record;
    EXPECT_TRUE(reader.next(record));
    EXPECT_EQ(record.text, "good");
    EXPECT_FALSE(reader.next(record)) << at;
    EXPECT_EQ(reader.left(), broken.size() - good) << at;
  }
}

/// One of many threads: nested ranges, ranges that end on the next thread, calls within calls.
std::vector<Written> slices_of_thread(uint32_t thread, std::mt19937& draw) {
  std::vector<Written> slices(40);
  uint16_t level = 0;
  int64_t time = 100 + thread;
  for (Written& w : slices) {
    for (int i = 0; i < 9; ++i, time += 10) {
      const auto what = draw() % 6;
      if (what < 2) w.push(time, level++, "deep");
      if (what == 2 && level > 0) w.pop(time, --level);
      const uint64_t number = draw() % 200;
      if (what == 3) w.add({wire::Kind::start, 0, 0, 0, time}, "", wire::RangeBody{number + 1}, wire::EventBody{});
      if (what == 4) w.add({wire::Kind::end, 0, 0, 0, time}, "", wire::RangeBody{number + 1});
      if (what == 5) w.call(wire::OsCall::read, time - 25, time);
    }
  }
  return slices;
}

TEST(Recording, PartsComeToTheSameAsTheWhole) {
  std::mt19937 draw(1);
  std::vector<std::vector<Written>> written;
  std::vector<Slice> slices;
  for (uint32_t thread = 5; thread < 9; ++thread) written.push_back(slices_of_thread(thread, draw));
  for (uint32_t i = 0; i < written.size(); ++i) {
    for (const Written& w : written[i]) slices.push_back({5, 5 + i, w.bytes()});
  }
  const Made whole = made_of(slices);
  EXPECT_GT(whole.tally.open_ranges, 10);
  EXPECT_GT(whole.tally.unmatched_ends, 10);
  for (const size_t part_rows : {1UL, 7UL, 100UL}) {
    const Made parts = made_of(slices, part_rows);
    EXPECT_EQ(ranges_of(parts.trace), ranges_of(whole.trace));
    EXPECT_EQ(parts.trace.ranges.end_thread, whole.trace.ranges.end_thread);
    EXPECT_EQ(parts.trace.os_calls.start, whole.trace.os_calls.start);
    EXPECT_EQ(parts.trace.os_calls.nesting, whole.trace.os_calls.nesting);
    EXPECT_EQ(parts.tally.open_ranges, whole.tally.open_ranges);
    EXPECT_EQ(parts.tally.unmatched_ends, whole.tally.unmatched_ends);
    EXPECT_EQ(parts.tally.events(), whole.tally.events());
  }
}

}  // namespace recording_test
}  // namespace sonde::record
