#pragma once

#include "inject/encode.h"
#include "inject/thread_chunk.h"
#include "wire/cuda_record.h"

/// Records of the worker's. It is a thread of our own, which may wait for the recorder to make room: the program does
/// not notice.
namespace sonde::inject::cupti {

/// Room for a record of `bytes`, its head written; gives the place behind that. To be followed by commit_record().
/// Null where there was no room for two seconds, which is counted; then nothing is waited for until there is some.
[[nodiscard]] std::byte* begin_worker_record(wire::Kind kind, uint32_t bytes, uint16_t domain) noexcept;

/// Those that got no room.
[[nodiscard]] uint64_t lost_records() noexcept;

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

}  // namespace sonde::inject::cupti
