#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "record/python/code_objects.h"

namespace sonde::record::python {

/// A thread of an interpreter, as its thread state was read.
struct ThreadState {
  uint64_t address = 0;
  uint64_t thread_id = 0;  ///< pthread_t
  uint32_t number = 0;     ///< Linux's; 0: it is not told (before 3.11)
  uint64_t frame_at = 0;   ///< where the process keeps which frame is the innermost
  uint64_t frame = 0;      ///< the innermost; 0: it runs no Python
  uint64_t gil = 0;        ///< the lock of its interpreter; 0: there is none
};

/// The lock of an interpreter.
struct Gil {
  uint64_t address = 0;
  uint64_t holder = 0;  ///< a thread state; 0: nobody has it
};

/// What all interpreters of a process have; false where their lists make no sense.
[[nodiscard]] bool read_threads(const ForeignMemory& memory, const Interpreter& interpreter,
                                std::vector<ThreadState>& threads, std::vector<Gil>& gils);

/// The innermost frame of a thread now; 0: it runs no Python.
[[nodiscard]] uint64_t innermost_frame(const ForeignMemory& memory, const Layout& layout, uint64_t thread);

/// Reads the stacks of threads. They run meanwhile: what was read may be parts of two stacks.
class StackReader {
 public:
  enum class Outcome : uint8_t { whole, torn };

  /// The frames of a thread, innermost first. Torn: what was read is no stack.
  [[nodiscard]] Outcome read(const ForeignMemory& memory, const Interpreter& interpreter, uint64_t innermost,
                             std::vector<RawFrame>& frames);

  /// Reads the frames of the last stack once more, all at once, with the innermost of now at `frame_at`: the stack of
  /// that moment, but for calls that came since, whose frames are read one by one.
  [[nodiscard]] Outcome read_at_once(const ForeignMemory& memory, const Interpreter& interpreter, uint64_t frame_at,
                                     std::vector<RawFrame>& frames);

  /// Where the frames lie that were read last, those of the interpreter's own too.
  [[nodiscard]] const std::vector<uint64_t>& places() const { return places_; }

 private:
  [[nodiscard]] bool append_new(const ForeignMemory& memory, const Layout& layout, uint64_t& address,
                                std::vector<RawFrame>& frames);
  static void append(const Layout& layout, std::span<const std::byte> bytes, std::vector<RawFrame>& frames);

  struct Block {
    uint64_t begin = 0;
    std::vector<std::byte> bytes;
  };

  [[nodiscard]] std::span<const std::byte> frame_at(const ForeignMemory& memory, const Layout& layout,
                                                    uint64_t address);

  Block block_;
  std::vector<uint64_t> places_;
  std::vector<std::byte> copies_;
  std::vector<Piece> pieces_;
};

/// Deeper stacks are cut: Python's own limit is 1,000 unless the program sets another.
inline constexpr size_t kMostFrames = 4096;

}  // namespace sonde::record::python
