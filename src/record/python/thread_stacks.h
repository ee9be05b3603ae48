#pragma once

#include <cstdint>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "record/python/code_objects.h"
#include "record/python/stacks.h"

namespace sonde::record::python {

/// The stacks of a process's threads, which run while they are read. A stack that shows it is read again, some times.
///
/// It shows in two ways: something in it is no code, or it does not end where the thread's stack begins. For when a
/// function returns, its frame is freed, and leads to no caller any more or to other freed frames. Where a thread's
/// stack begins is known from a stack that was read twice, and was the same.
class ThreadStacks {
 public:
  /// Innermost frame first. False: it was torn each time.
  [[nodiscard]] bool read(const ForeignMemory& memory, const Interpreter& interpreter, const ThreadState& thread,
                          std::vector<RawFrame>& frames);

  [[nodiscard]] const CodeObjects& codes() const { return codes_; }

 private:
  [[nodiscard]] bool is_unmoved(const ForeignMemory& memory, const Interpreter& interpreter, uint64_t innermost,
                                std::vector<RawFrame>& frames);
  [[nodiscard]] bool is_of_one_moment(const ForeignMemory& memory, const Interpreter& interpreter,
                                      const ThreadState& thread, std::vector<RawFrame>& frames);
  [[nodiscard]] bool are_frames(const ForeignMemory& memory, const Interpreter& interpreter,
                                const std::vector<RawFrame>& frames);
  [[nodiscard]] bool is_stack(const ForeignMemory& memory, const Interpreter& interpreter, uint64_t innermost,
                              std::vector<RawFrame>& frames);

  CodeObjects codes_;
  StackReader reader_;
  boost::unordered_flat_map<uint64_t, uint64_t> outermost_;  ///< thread state -> its outermost frame
};

}  // namespace sonde::record::python
