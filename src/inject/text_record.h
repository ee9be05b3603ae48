#pragma once

#include "inject/encode.h"
#include "inject/thread_chunk.h"

namespace sonde::inject {

/// A record whose body is followed by its text; the number of its bytes is filled in. False where it was dropped, which
/// is counted.
template <typename Body>
bool write_with_text(const wire::RecordHead& head, const Body& body, const Text& text) noexcept {
  const uint32_t bytes = bytes_with_text<Body>(text);
  std::byte* const at = begin_record(bytes);
  if (at == nullptr) return false;
  put_with_text(put_head(at, head.kind, bytes, head.domain, head.level, head.time), body, text);
  commit_record(bytes);
  return true;
}

}  // namespace sonde::inject
