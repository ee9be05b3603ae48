#pragma once

#include <regex.h>

#include <cstddef>
#include <cstdint>

/// Ranges that launches must lie in, or must not (wire/kernel_record.h). Names are matched without allocating; regular
/// expressions are the C library's, which may.
namespace sonde::inject::metrics {

/// Bits of elements and of patterns, one each, in the order of the request.
inline constexpr uint32_t kMaxElements = 32;
inline constexpr uint32_t kMaxPatterns = 16;

/// A name in a pattern, or what stands for names.
struct Element {
  enum class Kind : uint8_t { name, regex, one, any_number };
  Kind kind = Kind::name;
  const char* text = "";
  regex_t regex{};

  /// Of one range or domain.
  [[nodiscard]] bool matches(const char* data, size_t bytes) const noexcept;
};

struct Pattern {
  bool exclude = false;
  bool push_pop = false;  ///< false: start/end ranges, all of which must be open
  bool bottom = false;    ///< the first element is the outermost range of the domain
  bool top = false;       ///< the last one is the innermost
  Element domain;         ///< the empty name: NVTX's default domain
  uint32_t first = 0;     ///< of its elements
  uint32_t count = 0;
};

struct Patterns {
  Pattern all[kMaxPatterns];
  uint32_t count = 0;
  Element elements[kMaxElements];
  uint32_t element_count = 0;

  /// A line of the request. False where it cannot be understood, or there is no room for it. `value` must live on.
  bool take(const char* key, const char* value) noexcept;

  /// Compiles the expressions again: in a child of fork() the lock within one may be held by a thread of its parent.
  void renew() noexcept;
  [[nodiscard]] bool has_expressions() const noexcept;
};

/// What a range matches: a bit each.
struct RangeBits {
  uint32_t elements = 0;
  uint16_t patterns = 0;  ///< whose domain it is of
};
/// `push_pop`: only patterns of such ranges are looked at, else only those of start/end ranges.
[[nodiscard]] RangeBits bits_of(const Patterns& patterns, bool push_pop, const char* domain, size_t domain_bytes,
                                const char* name, size_t name_bytes) noexcept;

/// The ranges around a launch.
struct OpenRanges {
  const RangeBits* stack = nullptr;  ///< push/pop ranges of its thread, outermost first; no more than 32
  uint32_t depth = 0;
  bool has_more = false;  ///< deeper ones that are not known
  uint32_t started = 0;   ///< elements that an open start/end range of the process matches
};

/// Whether a launch there is wanted: some pattern that includes matches, or there is none, and none that excludes does.
[[nodiscard]] bool lets_pass(const Patterns& patterns, const OpenRanges& open) noexcept;

}  // namespace sonde::inject::metrics
