#include "record/python/thread_stacks.h"

#include <algorithm>

namespace sonde::record::python {
namespace {

constexpr int kTries = 6;

}  // namespace

bool ThreadStacks::read(const ForeignMemory& memory, const Interpreter& interpreter, const ThreadState& thread,
                        std::vector<RawFrame>& frames) {
  uint64_t innermost = thread.frame;
  uint64_t& known = outermost_[thread.address];
  for (int i = 0; i < kTries; ++i) {
    const bool whole = is_stack(memory, interpreter, innermost, frames);
    if (whole && (frames.empty() || frames.size() >= kMostFrames)) return true;
    if (whole && reader_.places().back() == known && is_of_one_moment(memory, interpreter, thread, frames)) return true;
    const uint64_t now = innermost_frame(memory, interpreter.layout, thread.address);
    if (whole && now == innermost && is_unmoved(memory, interpreter, innermost, frames)) {
      known = reader_.places().back();
      return true;
    }
    innermost = now;
  }
  return false;
}

/// Whether the stack that was read last is there still: a function that is called again and again has its frame at one
/// place, whoever calls it.
bool ThreadStacks::is_unmoved(const ForeignMemory& memory, const Interpreter& interpreter, uint64_t innermost,
                              std::vector<RawFrame>& frames) {
  const std::vector<uint64_t> places = reader_.places();
  return is_stack(memory, interpreter, innermost, frames) && reader_.places() == places;
}

/// Reads frame by frame took some time; of all at once it takes less than some calls.
bool ThreadStacks::is_of_one_moment(const ForeignMemory& memory, const Interpreter& interpreter,
                                    const ThreadState& thread, std::vector<RawFrame>& frames) {
  return reader_.read_at_once(memory, interpreter, thread.frame_at, frames) == StackReader::Outcome::whole &&
         are_frames(memory, interpreter, frames);
}

bool ThreadStacks::is_stack(const ForeignMemory& memory, const Interpreter& interpreter, uint64_t innermost,
                            std::vector<RawFrame>& frames) {
  return reader_.read(memory, interpreter, innermost, frames) == StackReader::Outcome::whole &&
         are_frames(memory, interpreter, frames);
}

bool ThreadStacks::are_frames(const ForeignMemory& memory, const Interpreter& interpreter,
                              const std::vector<RawFrame>& frames) {
  if (!codes_.look_at(memory, interpreter, frames)) return false;
  return std::ranges::all_of(frames, [&](const RawFrame& frame) {
    const int64_t bytes = codes_.at(codes_.number(frame.code)).instruction_bytes;
    return bytes == 0 || offset_of(interpreter.layout, frame) < bytes;
  });
}

}  // namespace sonde::record::python
