#include <gtest/gtest.h>

#include "importers/torch_snapshot/free_pieces.h"
#include "importers/torch_snapshot/pickle.h"
#include "importers/torch_snapshot/torch_snapshot.h"

namespace sonde {
namespace torch_snapshot_test {

using torch_snapshot::Action;
using torch_snapshot::Entry;
using torch_snapshot::FreePieces;
using torch_snapshot::OfDevice;
using torch_snapshot::Pickle;
using namespace std::string_view_literals;

std::string error_of(std::string_view bytes) {
  const auto pickle = Pickle::read(bytes);
  return pickle ? "" : pickle.error().message;
}

TEST(Pickle, NumbersOfAllWidths) {
  const auto p = Pickle::read(
      "\x80\x02](K\xffM\xff\xffJ\xfe\xff\xff\xff\x8a\x00\x8a\x01\xff\x8a\x06\x00\x00\x00jV\x7f"
      "\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00\x88\x89"
      "e."sv);
  ASSERT_TRUE(p.has_value()) << p.error().message;
  std::vector<int64_t> numbers;
  for (const Pickle::Id id : p->items(p->root())) numbers.push_back(p->integer(id).value_or(-99));
  EXPECT_EQ(numbers, (std::vector<int64_t>{255, 65535, -2, 0, -1, 0x7f566a000000, -1, 1, 0}));
}

TEST(Pickle, NumbersThatDoNotFitAreNone) {
  const auto p = Pickle::read("\x80\x02\x8a\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00."sv);
  ASSERT_TRUE(p.has_value());
  EXPECT_FALSE(p->integer(p->root()).has_value());
}

TEST(Pickle, AValueOfTheMemoIsOneValue) {
  const auto p = Pickle::read(
      "\x80\x04}\x94\x8c\x01"
      "a\x94](h\x01h\x01"
      "es."sv);
  ASSERT_TRUE(p.has_value()) << p.error().message;
  const auto list = p->member(p->root(), "a");
  ASSERT_TRUE(list.has_value());
  ASSERT_EQ(p->items(*list).size(), 2);
  EXPECT_EQ(p->text(p->items(*list)[0]), "a");
  EXPECT_EQ(p->items(*list)[0], p->items(*list)[1]);
}

TEST(Pickle, NothingIsCalled) {
  // os.system("true") as pickle.dumps() writes an object with __reduce__
  EXPECT_EQ(error_of("\x80\x02"
                     "cposix\nsystem\n"sv),
            "is a Python pickle with objects (opcode 0x63 at byte 2), not a memory snapshot of PyTorch");
}

TEST(Pickle, DamageIsAnErrorWithItsPlace) {
  EXPECT_EQ(error_of("\x80\x02}"sv), "is truncated: its pickle ends at byte 3 without an end mark");
  EXPECT_EQ(error_of("\x80\x02K\x01"
                     "a."sv),
            "is damaged: the pickle's opcode 0x61 at byte 4 cannot be applied");
  for (const std::string_view bytes : {"\x80\x02."sv, "\x80\x02h\x05."sv, "\x80\x02](K\x01u."sv,
                                       "\x80\x02"
                                       "e."sv,
                                       "\x80\x02\x86."sv, "\x80\x02q\x00."sv, "\x80\x02X\xff\xff\xff\xff."sv,
                                       "\x80\x02](0e."sv, "\x80\x02K\x01r\xff\xff\xff\x7f."sv}) {
    EXPECT_NE(error_of(bytes), "") << testing::PrintToString(bytes);
  }
}

Entry entry(Action action, int64_t address, int64_t bytes) {
  Entry e;
  e.action = action;
  e.address = address;
  e.bytes = bytes;
  return e;
}

TEST(FreePieces, AreWhatSegmentsHaveBetweenBlocks) {
  OfDevice device;
  device.segments = {{0x10000, 0x8000, {}}};
  device.segments[0].blocks.resize(2);
  device.segments[0].blocks[0] = {.address = 0x11000, .bytes = 0x1000, .requested_bytes = 0x1000, .allocated = true};
  device.segments[0].blocks[1] = {.address = 0x16000, .bytes = 0x800, .requested_bytes = 0x800, .waits = true};
  FreePieces pieces(device);
  EXPECT_EQ(pieces.largest(), 0x4000);
  pieces.undo(entry(Action::alloc, 0x11000, 0x1000));
  EXPECT_EQ(pieces.largest(), 0x6000);
  pieces.undo(entry(Action::free_completed, 0x10000, 1));  // rounded up to 512 bytes
  EXPECT_EQ(pieces.largest(), 0x5e00);
  pieces.undo(entry(Action::segment_map, 0x14000, 0x4000));  // the second half of it was mapped later
  EXPECT_EQ(pieces.largest(), 0x3e00);
}

TEST(TorchSnapshot, SizesThatNoGpuHasAreLeftOut) {
  // {"segments": [{"device": 0, "address": 0, "total_size": -1}], "device_traces": []}
  const auto bytes =
      "\x80\x02}(X\x08\0\0\0segments](}(X\x06\0\0\0deviceK\0X\x07\0\0\0addressK\0X\x0a\0\0\0total_sizeJ\xff\xff\xff\xff"
      "ueX\x0d\0\0\0device_traces]u."sv;
  Trace trace;
  const Status status = torch_snapshot::read_bytes(bytes, "x.pickle", {.fields = Fields::all()}, trace);
  ASSERT_TRUE(status.has_value()) << status.error().message;
  ASSERT_FALSE(trace.log.empty());
  EXPECT_EQ(trace.log.entries().front().issue, Issue::missing_value);
}

}  // namespace torch_snapshot_test
}  // namespace sonde
