#pragma once

#include <cstdint>
#include <span>

namespace sonde::record::python {

/// The line of the source that an instruction is of. `table` is what the code object of CPython 3.minor has:
/// co_lnotab up to 3.9 (Objects/lnotab_notes.txt), co_linetable in 3.10 (PEP 626) and, in another form, from 3.11 on
/// (Objects/locations.md). `offset` counts bytes from the first instruction; before the first, it is the first line.
/// 0 for an instruction that is of no line.
[[nodiscard]] int32_t line_of(int minor, std::span<const std::byte> table, int32_t first_line, int64_t offset);

}  // namespace sonde::record::python
