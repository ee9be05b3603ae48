#pragma once

#include "inject/encode.h"
#include "inject/thread_chunk.h"
#include "wire/cuda_record.h"

/// Records of the threads of our own. They may wait for the recorder to make room: the program does not notice.
namespace sonde::inject::cupti {

/// Room for a record of `bytes`, its head written; gives the place behind that. To be followed by commit_record().
/// Null where there was no room for two seconds, which is counted; then nothing is waited for until there is some.
[[nodiscard]] std::byte* begin_worker_record(wire::Kind kind, uint32_t bytes, uint16_t domain) noexcept;

/// A record whose body is `body`. False where it got no room.
template <typename Body>
bool write_body(wire::Kind kind, const Body& body) noexcept {
  constexpr uint32_t kBytes = sizeof(wire::RecordHead) + sizeof(Body);
  std::byte* const at = begin_worker_record(kind, kBytes, 0);
  if (at == nullptr) return false;
  put(at, body);
  commit_record(kBytes);
  return true;
}

/// The same of a body that is followed by its text.
template <typename Body>
bool write_with_text(wire::Kind kind, const Body& body, const Text& text) noexcept {
  const uint32_t bytes = bytes_with_text<Body>(text);
  std::byte* const at = begin_worker_record(kind, bytes, 0);
  if (at == nullptr) return false;
  put_with_text(at, body, text);
  commit_record(bytes);
  return true;
}

}  // namespace sonde::inject::cupti
