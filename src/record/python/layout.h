#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "base/error.h"

/// Python stacks are read from outside, by process_vm_readv: nothing runs or waits in the program.
namespace sonde::record::python {

/// Where a version of CPython keeps what is read of it: offsets in bytes from the begin of each structure.
struct Layout {
  static constexpr uint32_t kNowhere = std::numeric_limits<uint32_t>::max();

  int minor = 0;  ///< of "3.minor"

  uint32_t interpreters_head = 0;        ///< of _PyRuntime: a pointer
  uint32_t interpreter_next = 0;         ///< of PyInterpreterState
  uint32_t threads_head = 0;             ///< of PyInterpreterState
  uint32_t thread_next = 0;              ///< of PyThreadState
  uint32_t thread_id = 0;                ///< of PyThreadState: pthread_t
  uint32_t native_thread_id = kNowhere;  ///< of PyThreadState: Linux's number, from 3.11 on
  uint32_t datastack_chunk = kNowhere;   ///< of PyThreadState: where frames lie, from 3.11 on
  uint32_t cframe = kNowhere;            ///< of PyThreadState: what points to the frame in 3.11 and 3.12
  uint32_t frame = 0;                    ///< of PyThreadState, or of what `cframe` points to: the innermost frame

  uint32_t gil = kNowhere;          ///< of _PyRuntime: the lock itself, before 3.12
  uint32_t gil_pointer = kNowhere;  ///< of PyInterpreterState: where it lies, from 3.12 on
  uint32_t gil_holder = 0;          ///< of the lock: the thread state that has it, or had it last
  uint32_t gil_locked = 0;          ///< of the lock: int
  uint32_t gil_waits = 0;           ///< of the lock: from here to gil_end lie what threads wait on that want it
  uint32_t gil_end = 0;

  uint32_t frame_code = 0;
  uint32_t frame_back = 0;
  uint32_t frame_at = 0;            ///< a pointer to an instruction; before 3.11 the number of one, an int
  uint32_t frame_owner = kNowhere;  ///< from 3.11 on: char

  uint32_t code_file = 0;
  uint32_t code_name = 0;
  uint32_t code_first_line = 0;  ///< int
  uint32_t code_qualified_name = kNowhere;
  uint32_t code_lines = 0;                ///< bytes object: see line_table.h
  uint32_t code_instructions = kNowhere;  ///< from 3.11 on: they are part of the code object

  uint32_t text_state = 0;    ///< of PyUnicode: bits, uint32
  uint32_t text_ascii = 0;    ///< of an ASCII text: its characters
  uint32_t text_compact = 0;  ///< of another text: its characters
};

inline constexpr uint32_t kTypeAt = 8;    ///< of PyObject: ob_type
inline constexpr uint32_t kSizeAt = 16;   ///< of PyVarObject (bytes, code) and of PyUnicode (length): a count
inline constexpr uint32_t kBytesAt = 32;  ///< of a bytes object: its bytes
inline constexpr int kFirstMinor = 8;
inline constexpr int kLastMinor = 13;
inline constexpr int kFirstTold = 13;  ///< from here on the process tells much of it itself

/// That of CPython 3.minor as its headers have it; null for a version that has no row.
[[nodiscard]] const Layout* known_layout(int minor);

/// The head of _PyRuntime from 3.13 on: it tells many of the offsets itself.
inline constexpr size_t kToldBytes = 584;

/// The known layout with what the process tells in place of it. An error where the head is none, or tells of places
/// that no structure of Python's is as large as.
[[nodiscard]] Result<Layout> told_layout(const Layout& known, std::span<const std::byte> head);

}  // namespace sonde::record::python
