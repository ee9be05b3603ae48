#include "inject/cupti/state_record.h"

#include <cstdio>

#include "inject/encode.h"
#include "inject/thread_chunk.h"

namespace sonde::inject::cupti {

void tell_state(wire::CudaState state, uint32_t version, const char* text) noexcept {
  const Text said = inject::text_of(text);
  const auto bytes =
      static_cast<uint32_t>(sizeof(wire::RecordHead) + sizeof(wire::CudaStateBody)) + wire::padded(said.bytes);
  std::byte* at = begin_record(bytes);
  if (at == nullptr) return;
  at = put_head(at, wire::Kind::cuda_state, bytes, 0, 0, now_ns());
  put_text(put(at, wire::CudaStateBody{state, version, said.bytes, {}}), said);
  commit_record(bytes);
}

void tell_failure(wire::CudaState state, const Library& library, const char* call, const char* of,
                  Result result) noexcept {
  char text[512];
  snprintf(text, sizeof text, "%s(%s): %.300s", call, of, text_of(library, result));
  tell_state(state, library.version, text);
}

}  // namespace sonde::inject::cupti
