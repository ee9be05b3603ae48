#include <functional>

#include <gtest/gtest.h>

#include "python_image.h"
#include "record/python/thread_stacks.h"

namespace sonde::record::python {
namespace python_moving_test {

/// The memory of a program that goes on: something happens before one of the reads.
class MovingMemory : public ForeignMemory {
 public:
  explicit MovingMemory(FakeMemory& memory) : memory_(memory) {}
  using ForeignMemory::read;
  void read(std::span<Piece> pieces) const override {
    for (const Piece& piece : pieces) {
      if (piece.address <= at && at < piece.address + piece.into.size() && happens) std::exchange(happens, {})();
    }
    memory_.read(pieces);
  }

  uint64_t at = 0;
  mutable std::function<void()> happens;

 private:
  FakeMemory& memory_;
};

/// Frames are objects there, and a returning function's is freed.
class PythonMoving : public testing::Test {
 protected:
  PythonImage image{9};
  MovingMemory moving{image.memory};
  ThreadStacks stacks;
  std::vector<RawFrame> frames;
  uint64_t code = image.code("f", "/a.py", 1);
  uint64_t outer = image.frame(code, 0);
  uint64_t middle = image.frame(code, outer);
  uint64_t inner = image.frame(code, middle);
  uint64_t state = image.thread(inner, 7);
  ThreadState thread{.address = state, .frame_at = state + image.layout().frame, .frame = inner};

  bool read() { return stacks.read(moving, image.interpreter, thread, frames); }
  void put_innermost(uint64_t frame) { image.memory.put(thread.address + image.layout().frame, frame); }
  void put_back(uint64_t frame, uint64_t back) { image.memory.put(frame + image.layout().frame_back, back); }
};

TEST_F(PythonMoving, StacksThatLeadToFreedFramesAreReadAgain) {
  ASSERT_TRUE(read());
  EXPECT_EQ(frames.size(), 3U);
  const uint64_t other = image.frame(code, outer);
  moving.at = middle;
  moving.happens = [&] {  // both return, and another function is called
    put_back(inner, 0);
    put_back(middle, inner);
    put_innermost(other);
  };
  ASSERT_TRUE(read());
  EXPECT_EQ(frames.size(), 2U) << "other and outer, not inner, middle, inner";
}

TEST_F(PythonMoving, StacksOfAThreadWhoseBeginIsNotKnownCountOnlyUnmoved) {
  const uint64_t other = image.frame(code, outer);
  moving.at = middle;
  moving.happens = [&] {
    put_back(inner, 0);
    put_back(middle, inner);
    put_innermost(other);
  };
  ASSERT_TRUE(read());
  EXPECT_EQ(frames.size(), 2U);
}

TEST_F(PythonMoving, StacksThatAreTornEachTimeAreNone) {
  ASSERT_TRUE(read());
  put_innermost(0xdead0000);
  thread.frame = 0xdead0000;
  EXPECT_FALSE(read());
}

TEST_F(PythonMoving, AThreadThatRunsNoPythonHasNoFrames) {
  put_innermost(0);
  thread.frame = 0;
  ASSERT_TRUE(read());
  EXPECT_TRUE(frames.empty());
}

}  // namespace python_moving_test
}  // namespace sonde::record::python
