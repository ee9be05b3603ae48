#include "record/python/thread_stacks.h"

#include <algorithm>

namespace sonde::record::python {
namespace {

constexpr int kTries = 4;

}  // namespace

bool ThreadStacks::read(const ForeignMemory& memory, const Interpreter& interpreter, const ThreadState& thread,
                        std::vector<RawFrame>& frames) {
  uint64_t innermost = thread.frame;
  uint64_t& known = outermost_[thread.address];
  for (int i = 0; i < kTries; ++i) {
    const bool whole = is_stack(memory, interpreter, innermost, frames);
    const bool is_cut = frames.size() >= kMostFrames;
    if (whole && (frames.empty() || is_cut || reader_.outermost() == known)) return true;
    const uint64_t now = innermost_frame(memory, interpreter.layout, thread.address);
    if (whole && now == innermost) {
      known = reader_.outermost();
      return true;
    }
    innermost = now;
  }
  return false;
}

bool ThreadStacks::is_stack(const ForeignMemory& memory, const Interpreter& interpreter, uint64_t innermost,
                            std::vector<RawFrame>& frames) {
  if (reader_.read(memory, interpreter, innermost, frames) == StackReader::Outcome::torn) return false;
  if (!codes_.look_at(memory, interpreter, frames)) return false;
  return std::ranges::all_of(frames, [&](const RawFrame& frame) {
    const int64_t bytes = codes_.at(codes_.number(frame.code)).instruction_bytes;
    return bytes == 0 || offset_of(interpreter.layout, frame) < bytes;
  });
}

}  // namespace sonde::record::python
