#pragma once

#include <cstdint>

#include "inject/encode.h"

/// What a program registers once and uses by handle: NVTX domains and registered strings. Handles are small numbers, so
/// that one that is not ours is found out. The recorder is informed of a name when it is registered, and again by the
/// first use in a child of fork(), or where it could not be reported before.
namespace sonde::inject {

struct NameTable;
extern NameTable domains;
extern NameTable strings;

inline constexpr uint32_t kMaxDomains = 4096;
inline constexpr uint32_t kMaxStrings = 1U << 20U;

/// A number from 1 on; 0 where the table is full.
[[nodiscard]] uint32_t register_name(NameTable& table, uint16_t domain, const Text& text) noexcept;

/// Whether the number was given to a name.
[[nodiscard]] bool was_given(const NameTable& table, uintptr_t number) noexcept;

/// The same number if the recorder knows of it now, or can be reported; 0 for one that was never given.
[[nodiscard]] uint32_t known_name(const NameTable& table, uintptr_t number) noexcept;

/// The text of a name; empty for a number that was never given.
[[nodiscard]] Text text_of_name(const NameTable& table, uintptr_t number) noexcept;

/// Tells the recorder that a number of `kind` has this name.
bool write_definition(wire::Kind kind, uint16_t domain, uint32_t number, const Text& text) noexcept;

}  // namespace sonde::inject
