#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/python/foreign_memory.h"
#include "record/python/layout.h"

namespace sonde::record::python {

/// An interpreter in a process: what its structures are like, and where it lies.
struct Interpreter {
  Layout layout;
  uint64_t runtime = 0;    ///< _PyRuntime
  uint64_t code_type = 0;  ///< PyCode_Type: what every code object points to
  uint64_t text_type = 0;
  uint64_t bytes_type = 0;
};

/// A text in UTF-8, cut after some 4,000 characters; nothing where there is none.
[[nodiscard]] std::optional<std::string> read_text(const ForeignMemory& memory, const Interpreter& interpreter,
                                                   uint64_t object);
/// The bytes of a bytes object; nothing where there is none, or where they are more than code has.
[[nodiscard]] std::optional<std::vector<std::byte>> read_bytes(const ForeignMemory& memory,
                                                               const Interpreter& interpreter, uint64_t object);

}  // namespace sonde::record::python
